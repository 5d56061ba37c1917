// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../../base/diagnostics_push.hpp"

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "error.hpp"
#include "collectives.hpp"
#include "library/default_backend.hpp"

namespace espalier::on_cuda {

/// What a device tag of several devices consists of; its header specializes it.
///   collectives   how they exchange elements
///   scope         chooses the current device: scope.use(k)
///   count, bucket_bytes
///   make(k)       a new backend for device k, which is current
template <class Device>
struct group_members;

/// The backends of several devices, as one backend of mirrored memory: each allocation exists on every device, and the
/// address on device 0 stands for all of them. What is copied to it is copied to each device; the host reads device 0.
/// memory   those of the backends and collectives; a note for each allocation
/// errors   cuda_error, which ends with the number of the device, as "; on device 1 of 2". After an error the devices may
///          hold different numbers: copy the model's numbers again, or end the program
/// threads  one at a time
template <class Device>
class device_group {
  using members = group_members<Device>;

 public:
  using device_type = espalier::detail::single_device<Device>;
  using backend_type = backend_of<device_type>;
  using collectives_type = typename members::collectives;
  static_assert(Collectives<collectives_type, backend_type>);
  static constexpr int count = members::count;
  static constexpr std::size_t bucket_bytes = members::bucket_bytes;

  /// errors  cuda_error: fewer devices than the tag says
  device_group() {
    guard unfinished{this};
    guarded([&](auto const& choose) {
      for (int k = 0; k < count; ++k) {
        choose(k);
        backends_[k] = members::make(k);
      }
    });
    collectives_ = new collectives_type(backends_, count);
    unfinished.group = nullptr;
  }
  device_group(device_group const&) = delete;
  device_group& operator=(device_group const&) = delete;
  ~device_group() { release_all(); }

  backend_type& backend(int k) const { return *backends_[k]; }
  collectives_type& collectives() const { return *collectives_; }

  /// Calls f(use). use(k) makes device k current and returns its backend. errors: those of f, with the number of the
  /// device that was used last
  template <class F>
  void on_all(F const& f) const {
    guarded([&](auto const& choose) {
      f([&](int k) -> backend_type& {
        choose(k);
        return *backends_[k];
      });
    });
  }
  /// Calls f(k, backend) for each device.
  template <class F>
  void on_each(F const& f) const {
    on_all([&](auto const& use) {
      for (int k = 0; k < count; ++k) f(k, use(k));
    });
  }

  /// The address on device k that an address on device 0 stands for; null for null.
  /// errors  cuda_error for an address that is not in mirrored memory
  template <class T>
  T* address(int k, T* of_first) const {
    if (of_first == nullptr || k == 0) return of_first;
    auto const at = reinterpret_cast<std::uintptr_t>(of_first);
    mirrored const* found = nullptr;
    for (mirrored const* m = first_; m != nullptr; m = m->next) {
      auto const begin = reinterpret_cast<std::uintptr_t>(m->at[0]);
      if (at < begin || at > begin + m->bytes) continue;
      found = m;
      if (at < begin + m->bytes) break;  // else: the end of this one, or the beginning of another one
    }
    if (found == nullptr)
      detail::throw_error<cuda_error>("device_group: %p is not memory of the devices of this group",
                                      static_cast<void const*>(of_first));
    return reinterpret_cast<T*>(reinterpret_cast<std::uintptr_t>(found->at[k]) +
                                (at - reinterpret_cast<std::uintptr_t>(found->at[0])));
  }

  /// Allocates zeroed memory on each device. Returns the address on device 0.
  void* allocate(std::size_t bytes) {
    auto* const made = new mirrored{first_, bytes, {}};
    first_ = made;
    releasing unfinished{this, made};
    on_each([&](int k, backend_type& backend) { made->at[k] = backend.allocate(bytes); });
    unfinished.group = nullptr;
    return made->at[0];
  }
  void release(void* at, std::size_t) noexcept {
    mirrored* m = first_;
    while (m != nullptr && m->at[0] != at) m = m->next;
    if (m != nullptr) release_mirrored(m);
  }
  void to_device(void* to, void const* from, std::size_t bytes) {
    on_each([&](int k, backend_type& backend) { backend.to_device(address(k, to), from, bytes); });
  }
  /// Copies from device 0, and waits for it.
  void to_host(void* to, void const* from, std::size_t bytes) {
    on_all([&](auto const& use) { use(0).to_host(to, from, bytes); });
  }
  void copy(void* to, void const* from, std::size_t bytes) {
    on_each([&](int k, backend_type& backend) { backend.copy(address(k, to), address(k, from), bytes); });
  }
  /// Waits for everything queued on all devices.
  void synchronize() {
    on_each([](int, backend_type& backend) { backend.synchronize(); });
  }

 private:
  /// Memory that exists on each device.
  struct mirrored {
    mirrored* next;
    std::size_t bytes;
    void* at[static_cast<std::size_t>(count)];
  };
  struct guard {
    device_group* group;
    ~guard() {
      if (group != nullptr) group->release_all();
    }
  };
  struct releasing {
    device_group* group;
    mirrored* made;
    ~releasing() {
      if (group != nullptr) group->release_mirrored(made);
    }
  };
  /// Calls f(choose). choose(k) makes device k current.
  template <class F>
  static void guarded(F const& f) {
    typename members::scope const scope;
    [[maybe_unused]] int current = 0;
    auto const choose = [&](int k) {
      current = k;
      scope.use(k);
    };
#if defined(__cpp_exceptions)
    try {
      f(choose);
    } catch (divergent_threads const& error) {
      detail::throw_error<divergent_threads>("%s; on device %d of %d", error.what(), current, count);
    } catch (cuda_error const& error) {
      detail::throw_error<cuda_error>("%s; on device %d of %d", error.what(), current, count);
    }
#else
    f(choose);
#endif
  }
  void release_mirrored(mirrored* m) noexcept {
    mirrored** before = &first_;
    while (*before != m) before = &(*before)->next;
    *before = m->next;
    for (int k = 0; k < count; ++k)
      if (m->at[k] != nullptr) backends_[k]->release(m->at[k], m->bytes);
    delete m;
  }
  void release_all() noexcept {
    while (first_ != nullptr) release_mirrored(first_);
    delete collectives_;
    for (int k = 0; k < count; ++k) delete backends_[k];
  }

  backend_type* backends_[static_cast<std::size_t>(count)]{};
  collectives_type* collectives_ = nullptr;
  mirrored* first_ = nullptr;
};

}  // namespace espalier::on_cuda
#include "../../base/diagnostics_pop.hpp"
