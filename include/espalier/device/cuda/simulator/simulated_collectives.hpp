// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../../../base/diagnostics_push.hpp"

#include <cstring>
#include <new>

#include "../../../storage/element.hpp"
#include "../error.hpp"
#include "simulated_backend.hpp"

namespace espalier::on_cuda {

/// Exchanges among simulated devices (Collectives). Means are sums in the order of the devices, in the type that is
/// computed with. The results are there when the backend of a device waits for them. Until then the elements are bytes
/// of ones (NaN), and work that uses them throws.
/// errors  cuda_error: a call outside of begin() and end(); devices whose calls differ; elements that are not memory of
///         their device; an exchange that does not wait for the work of its device's backend
/// memory  a copy of the results until they are used
class simulated_collectives {
 public:
  simulated_collectives(simulated_backend* const* backends, int devices)
      : devices_{devices}, of_(new device[static_cast<std::size_t>(devices)]) {
    for (int k = 0; k < devices; ++k) of_[k].backend = backends[k];
  }
  simulated_collectives(simulated_collectives const&) = delete;
  simulated_collectives& operator=(simulated_collectives const&) = delete;
  ~simulated_collectives() {
    for (int k = 0; k < devices_; ++k) {
      drop(of_[k].calls);
      while (of_[k].results != nullptr) release(of_[k].results);
    }
    delete[] of_;
  }

  /// Counts for tests: exchanges so far (begin() to end()), and the elements that each device has averaged in them.
  std::int64_t exchanges() const { return exchanges_; }
  std::int64_t averaged() const { return averaged_; }

  void after(int k) { of_[k].stream.wait_for(of_[k].backend->stream().event()); }
  void begin() {
    if (open_) detail::throw_error<cuda_error>("simulated_collectives::begin: an exchange is open; call end() first");
    open_ = true;
  }
  template <class T>
  void average(int k, T* at, std::int64_t count) {
    add(k, {"average", at, count, sizeof(T), number_of<T>(), &combine<T>, nullptr});
  }
  template <class T>
  void broadcast(int k, T* at, std::int64_t count) {
    add(k, {"broadcast", at, count, sizeof(T), number_of<T>(), nullptr, nullptr});
  }
  void end() {
    struct closing {
      simulated_collectives& of;
      ~closing() {
        for (int k = 0; k < of.devices_; ++k) drop(of.of_[k].calls);
        of.open_ = false;
      }
    } const closed{*this};
    check_calls();
    call const** const together = new call const*[static_cast<std::size_t>(devices_)];
    struct releasing {
      call const** at;
      ~releasing() { delete[] at; }
    } const released{together};
    for (int k = 0; k < devices_; ++k) together[k] = of_[k].calls.first;
    for (; together[0] != nullptr; next(together)) run(together);
    ++exchanges_;
  }
  void before(int k) {
    device& d = of_[k];
    d.backend->stream().wait_for(d.stream.event());
    while (d.results != nullptr) store(d.results);
  }

 private:
  struct call {
    char const* name;
    void* at;
    std::int64_t count;
    std::size_t element_bytes;
    int type;
    void (*combine)(unsigned char* result, call const* const* calls, int devices);
    call* next;
    std::size_t bytes() const { return static_cast<std::size_t>(count) * element_bytes; }
  };
  struct call_list {
    call *first = nullptr, *last = nullptr;
  };
  /// Elements that wait for the backend; their bytes follow the object.
  struct result {
    result* next;
    void* at;
    std::size_t size;
    unsigned char* bytes() { return reinterpret_cast<unsigned char*>(this + 1); }
    bool overlaps(void const* from, std::size_t count) const {
      auto const a = reinterpret_cast<std::uintptr_t>(at), b = reinterpret_cast<std::uintptr_t>(from);
      return a < b + count && b < a + size;
    }
  };
  struct device {
    simulated_backend* backend = nullptr;
    detail::simulated_stream stream;
    call_list calls;
    result* results = nullptr;
  };

  template <class T>
  static int number_of() {
    return std::is_same_v<T, float>      ? 1
           : std::is_same_v<T, double>   ? 2
           : std::is_same_v<T, half>     ? 3
           : std::is_same_v<T, bfloat16> ? 4
                                         : 0;
  }
  static char const* name_of_type(int type) {
    constexpr char const* names[] = {"bytes", "float", "double", "half", "bfloat16"};
    return names[type];
  }
  template <class T>
  static void combine(unsigned char* result, call const* const* calls, int devices) {
    using number = compute_type<T>;
    number const part = number(1) / static_cast<number>(devices);
    T* const mean = reinterpret_cast<T*>(result);
    for (std::int64_t i = 0; i < calls[0]->count; ++i) {
      number sum = 0;
      for (int k = 0; k < devices; ++k) sum += static_cast<number>(static_cast<T const*>(calls[k]->at)[i]) * part;
      mean[i] = static_cast<T>(sum);
    }
  }

  void add(int k, call const& made) {
    if (!open_)
      detail::throw_error<cuda_error>("simulated_collectives::%s: device %d calls it outside of begin() and end()",
                                      made.name, k);
    call_list& calls = of_[k].calls;
    call* const added = new call(made);
    (calls.first == nullptr ? calls.first : calls.last->next) = added;
    calls.last = added;
  }
  static void drop(call_list& calls) noexcept {
    while (calls.first != nullptr) {
      call* const dropped = calls.first;
      calls.first = dropped->next;
      delete dropped;
    }
    calls.last = nullptr;
  }
  static void release(result*& first) noexcept {
    result* const released = first;
    first = released->next;
    ::operator delete(released);
  }
  static void store(result*& first) noexcept {
    std::memcpy(first->at, first->bytes(), first->size);
    release(first);
  }
  /// Exchanges of a device are in order: a later one gets the results of those before it.
  static void store_earlier(device& d, call const& c) {
    for (result** at = &d.results; *at != nullptr;)
      if ((*at)->overlaps(c.at, c.bytes())) store(*at);
      else at = &(*at)->next;
  }
  void next(call const** together) const {
    for (int k = 0; k < devices_; ++k) together[k] = together[k]->next;
  }

  /// All devices make the same calls. A library would hang or mix up elements.
  void check_calls() const {
    for (int k = 1; k < devices_; ++k) {
      call const *a = of_[0].calls.first, *b = of_[k].calls.first;
      for (; a != nullptr && b != nullptr; a = a->next, b = b->next)
        if (a->combine != b->combine || a->count != b->count || a->type != b->type)
          detail::throw_error<cuda_error>(
              "simulated_collectives::end: device %d calls %s of %lld %s, and device 0 %s of %lld %s", k, b->name,
              static_cast<long long>(b->count), name_of_type(b->type), a->name, static_cast<long long>(a->count),
              name_of_type(a->type));
      if (a != nullptr || b != nullptr)
        detail::throw_error<cuda_error>("simulated_collectives::end: device %d makes %s calls than device 0", k,
                                        a != nullptr ? "fewer" : "more");
    }
  }
  void check_memory(int k, call const& c) {
    auto const range = detail::simulated_memory.used_by(c.at, c.bytes(), of_[k].stream);
    if (!range.found || range.device != of_[k].backend->device() || c.bytes() > range.bytes - range.first)
      detail::throw_error<cuda_error>(
          "simulated_collectives::%s: %lld %s at %p, which is not as much memory of device %d", c.name,
          static_cast<long long>(c.count), name_of_type(c.type), c.at, k);
    if (!of_[k].stream.knows(of_[k].backend->stream().latest()))
      detail::throw_error<cuda_error>(
          "simulated_collectives::%s: device %d does not wait for its own work, which may still write the elements; "
          "call after(%d) first",
          c.name, k, k);
  }
  void run(call const* const* together) {
    std::size_t const size = together[0]->bytes();
    for (int k = 0; k < devices_; ++k) check_memory(k, *together[k]);
    if (size == 0) return;
    for (int k = 0; k < devices_; ++k) store_earlier(of_[k], *together[k]);
    result* of_first = nullptr;
    for (int k = 0; k < devices_; ++k) {
      device& d = of_[k];
      d.results = ::new (::operator new(sizeof(result) + size)) result{d.results, together[k]->at, size};
      if (k > 0) std::memcpy(d.results->bytes(), of_first->bytes(), size);
      else if (together[0]->combine == nullptr) std::memcpy(d.results->bytes(), together[0]->at, size);
      else together[0]->combine(d.results->bytes(), together, devices_);
      if (k == 0) of_first = d.results;
    }
    for (int k = 0; k < devices_; ++k) {
      detail::simulated_memory.exchange(together[k]->at, size, of_[k].stream.next());
      std::memset(together[k]->at, 0xff, size);
    }
    if (together[0]->combine != nullptr) averaged_ += together[0]->count;
  }

  int devices_;
  device* of_;
  bool open_ = false;
  std::int64_t exchanges_ = 0, averaged_ = 0;
};

}  // namespace espalier::on_cuda
#include "../../../base/diagnostics_pop.hpp"
