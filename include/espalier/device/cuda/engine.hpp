// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../../base/diagnostics_push.hpp"

#include "../engine.hpp"
#include "../program_bases.hpp"
#include "batch_slots.hpp"
#include "engine_memory.hpp"
#include "kernel/master_weights.hpp"
#include "error.hpp"
#include "run.hpp"
#include "step_graph.hpp"

/// The engine of a graphics processor: inputs and outputs are copied between its memory and that of the host.
namespace espalier::on_cuda {

using espalier::detail::elements_on;

/// Makes later work on `then` wait for everything queued on `first`. Tensors belong to the device's default backend,
/// but a model may run on a backend of the user.
template <class Backend>
void order(Backend& first, Backend& then) {
  if constexpr (requires { then.wait_for(first); })
    if (&first != &then) then.wait_for(first);
}

/// The exchange of tensors that are on the device already: a run uses them in place.
template <class Device>
class tensor_exchange : public on_device::direct_exchange {
 public:
  explicit tensor_exchange(backend_of<Device>& backend) : backend_{&backend} {}
  void upload() const { order(default_backend<Device>(), *backend_); }
  template <class T, class To, std::int64_t Count>
  void copy_out(elements_on<T, To, Count>, std::size_t) const {
    order(*backend_, default_backend<Device>());
  }

 private:
  backend_of<Device>* backend_;
};

/// Staging memory for the inputs and outputs of a run: the same bytes on the host and, at a fixed address, on the
/// device. Neighbouring inputs are uploaded in one copy, and outputs are downloaded the same way.
/// memory  one allocation on each side, at construction
template <class Device>
class exchange {
  using Backend = backend_of<Device>;

 public:
  /// device_bytes: bytes on both sides; host_bytes: bytes on the host, at least device_bytes.
  exchange(Backend& backend, std::size_t device_bytes, std::size_t host_bytes)
      : backend_{&backend}, device_memory_{backend, device_bytes}, host_memory_{backend, host_bytes} {}

  /// Returns the device address of an input. Elements of the host are staged for upload(), so that neighbours are one
  /// copy. More than `small` bytes, and elements of the device, are copied immediately; those that
  /// the host has a copy of are read in place, and release() follows the run.
  template <class T, class From, std::int64_t Count>
  void* stage_in(elements_on<T, From, Count> x, std::size_t offset) {
    constexpr std::size_t bytes = elements_on<T, From, Count>::bytes;
    if constexpr (std::is_same_v<From, cpu> && bytes > small) {
      backend_->to_device(device_memory_.template at<void>(offset), x.data, bytes);
    } else if constexpr (std::is_same_v<From, cpu>) {
      if (offset != espalier::detail::aligned_bytes(end_)) upload();
      if (begin_ == end_) begin_ = offset;
      end_ = offset + bytes;
      __builtin_memcpy(host_memory_.at(offset), x.data, bytes);
    } else {
      order(default_backend<Device>(), *backend_);
      if (espalier::detail::stable_address(x) != nullptr) return const_cast<std::remove_const_t<T>*>(x.data);
      backend_->copy(device_memory_.template at<void>(offset), x.data, bytes);
      order(*backend_, default_backend<Device>());
    }
    return device_memory_.template at<void>(offset);
  }
  /// Makes later work on the device's tensors wait for a run that reads some in place.
  void release() { order(*backend_, default_backend<Device>()); }
  void upload() {
    if (end_ > begin_)
      backend_->to_device(device_memory_.template at<void>(begin_), host_memory_.at(begin_), end_ - begin_);
    begin_ = end_ = 0;
  }
  template <class T, class To, std::int64_t Count>
  void* stage_out(elements_on<T, To, Count>, std::size_t offset) const {
    return device_memory_.template at<void>(offset);
  }
  void download(std::size_t offset, std::size_t bytes) {
    backend_->to_host(host_memory_.at(offset), device_memory_.template at<void>(offset), bytes);
  }
  template <class T, class To, std::int64_t Count>
  void copy_out(elements_on<T, To, Count> y, std::size_t offset) {
    constexpr std::size_t bytes = elements_on<T, To, Count>::bytes;
    if constexpr (std::is_same_v<To, cpu>) {
      __builtin_memcpy(y.data, host_memory_.at(offset), bytes);
    } else {
      backend_->copy(y.data, device_memory_.template at<void>(offset), bytes);
      order(*backend_, default_backend<Device>());
    }
  }
  template <class T, class From, std::int64_t Count>
  T* view_on_host(elements_on<T, From, Count> x, std::size_t offset) {
    if constexpr (std::is_same_v<From, cpu>) {
      return x.data;
    } else {
      if constexpr (std::is_const_v<T>)
        if (x.host_copy != nullptr) return x.host_copy;
      order(default_backend<Device>(), *backend_);
      backend_->to_host(host_memory_.at(offset), x.data, x.bytes);
      return host_address<T>(nullptr, offset);
    }
  }
  template <class T>
  T* host_address(T*, std::size_t offset) const {
    return reinterpret_cast<T*>(host_memory_.at(offset));
  }

 private:
  /// Larger copies are not merged: their cost is proportional to their bytes.
  static constexpr std::size_t small = 64 * 1024;

  Backend* backend_;
  device_block<Backend> device_memory_;
  staging_block<Backend> host_memory_;
  std::size_t begin_ = 0, end_ = 0;
};

/// The engine of a graphics processor. Its backend launches the kernels.
template <class Device>
class engine : public engine_memory<Device> {
  using base_type = engine_memory<Device>;
  using base_type::backend_;

 public:
  using backend_type = typename base_type::backend_type;
  using single_threaded = engine;
  using exchange = on_cuda::exchange<Device>;
  template <int Count>
  using replays = step_graphs<backend_type, Count>;
  /// As replays, of launches that are never captured.
  template <int Count>
  using no_replays = step_graphs<never_captures, Count>;
  template <class Program, class T>
  using result = std::conditional_t<(plan::device_plan_of<Program, detail::policy_of<backend_type, T>>.reporting > 0),
                                    compute_type<T>, T>;
  template <class Program, class T>
  static constexpr std::size_t workspace_bytes = on_cuda::workspace_bytes<Program, T, backend_type>;
  /// The memory of a run.
  template <class Program, class T>
  static constexpr std::size_t run_bytes = workspace_bytes<Program, T>;

  using base_type::base_type;

  single_threaded without_threads() const { return *this; }
  exchange make_exchange(std::size_t device_bytes, std::size_t host_bytes) const {
    return exchange{*backend_, device_bytes, host_bytes};
  }
  template <class From>
  auto make_exchange_with(std::size_t device_bytes, std::size_t host_bytes) const {
    if constexpr (std::is_same_v<From, Device>) return tensor_exchange<Device>{*backend_};
    else return exchange{*backend_, device_bytes, host_bytes};
  }
  template <class Program, class T, class...>
  void run(void* const* base) const {
    on_cuda::run<Program, T>(*backend_, base);
  }
  /// Group X of a program alone, for profiles; an error also says `name`. copy_results() follows the last group.
  template <class Program, class T, int X>
  void run_group(void* const* base, char const* name) const {
    auto const group = [&] { on_cuda::run_group<Program, T, X>(*backend_, base); };
#if defined(__cpp_exceptions)
    try {
      group();
    } catch (divergent_threads const& error) {
      detail::throw_error<divergent_threads>("%s; in group %d, %s", error.what(), X, name);
    } catch (cuda_error const& error) {
      detail::throw_error<cuda_error>("%s; in group %d, %s", error.what(), X, name);
    }
#else
    (void)name;
    group();
#endif
  }
  template <class Program, class T>
  void copy_results(void* const* base) const {
    on_cuda::detail::copy_results<Program, T>(
        *backend_, base, std::make_integer_sequence<int, plan::plan_of<Program>.memory.copy_count>{});
  }
  backend_type& backend() const { return *backend_; }

  /// Converts numbers to another type, rounded if it has fewer bits.
  template <int Size, class From, class To>
  void convert(From const* from, To* to) const {
    backend_->template launch<convert_kernel<To, From, Size>>({{const_cast<From*>(from), to}, {}});
  }
  /// Makes master_weights agree with the stored 16-bit parameters: those that were overwritten since the last update
  /// are replaced (master_weights_kernel).
  template <int Size, class T>
  void refresh_master_weights(T const* stored, float* master_weights) const {
    backend_->template launch<master_weights_kernel<T, Size>>({{const_cast<T*>(stored), master_weights}, {}});
  }
};

}  // namespace espalier::on_cuda

namespace espalier::detail {
template <class Device>
  requires(is_graphics<Device>&& on_one_device<Device>::agree)
struct engine_of<Device> {
  using type = on_cuda::engine<Device>;
};
}  // namespace espalier::detail
#include "../../base/diagnostics_pop.hpp"
