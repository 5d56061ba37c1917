// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../../../base/diagnostics_push.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <type_traits>

#include "convolve_plainly.hpp"
#include "../kernel/load_store.hpp"
#include "../error.hpp"
#include "fiber_context.hpp"
#include "simulated_copy_stream.hpp"
#include "../tensor/memory_source.hpp"
#include "simulated_device_memory.hpp"
#include "../kernel/kernel_name.hpp"

namespace espalier::on_cuda {

/// Simulates a graphics processor on the host, so that programs can be tested without one. Kernels run as fibers
/// (fiber_launcher). Device memory is the memory of the host that simulated backends of the same device allocated.
/// Everything is done when a call returns, except copies of a simulated_copy_stream and exchanges of
/// simulated_collectives. Only one thread at a time may use a backend.
/// order    the order in which warps run: see fiber_launcher
/// clusters whether kernels may use clusters of blocks, as on devices of compute capability 9.0 and above
/// library  whether convolutions are computed directly, as by a library; else as products of windows written to memory
/// device   the number of the device; work with the memory of another one is an error
/// errors   cuda_error: a copy with an address on the wrong side (device or host) or past an allocation's end; a launch
///          with such an address in its table; a kernel that wrote up to 256 bytes outside an allocation; work that uses
///          memory which a stream of copies or an exchange writes, without waiting for it; the errors of
///          fiber_launcher. The address sanitizer, if enabled, checks each access. A host that dereferences a device
///          address is not detected.
/// memory   512 bytes for each allocation; all is released with the backend
class simulated_backend {
 public:
  static constexpr bool captures = false;
  using copy_stream = simulated_copy_stream;
  using memory_source_type = memory_source<detail::simulated_stream*>;
  /// Whether product() can add a bias and apply ReLU as it stores: as on a device.
  template <class T>
  static constexpr bool can_bias_relu = !std::is_same_v<T, double>;

  explicit simulated_backend(int order = 0, bool clusters = true, bool library = true, int device = 0)
      : launcher_(order), clusters_(clusters), library_(library), device_(device) {}
  simulated_backend(simulated_backend const&) = delete;
  simulated_backend& operator=(simulated_backend const&) = delete;
  ~simulated_backend() { detail::simulated_memory.remove_all_of(this); }

  int device() const { return device_; }
  /// Counts for tests: launches, products, convolutions and allocations so far, and bytes that are allocated now.
  std::int64_t launches() const { return launches_; }
  std::int64_t products() const { return products_; }
  std::int64_t convolutions() const { return convolutions_; }
  std::int64_t allocations() const { return allocations_; }
  std::size_t allocated_bytes() const { return memory_.held(); }
  template <class Kernel>
  bool runs_clusters() const {
    return clusters_;
  }

  template <class Kernel>
  void launch(typename Kernel::table const& t) {
    if (Kernel::cluster > 1 && !clusters_)
      detail::throw_error<cuda_error>("simulated_backend::launch: %s: this simulated device has no clusters",
                                      name_of<Kernel>().text);
    check_table(t, &name_of<Kernel>);
    launcher_.template launch<Kernel>(t);
    ++launches_;
    if (auto const range = detail::simulated_memory.damaged(); range.found)
      detail::throw_error<cuda_error>("simulated_backend::launch: %s wrote outside an allocation of %zu bytes",
                                      name_of<Kernel>().text, range.bytes);
  }

  /// Allocates zeroed memory, 256-byte aligned; 0 bytes have an address of their own, too.
  /// errors  cuda_error if there is no memory
  void* allocate(std::size_t bytes) {
    void* const at = memory_.allocate("simulated_backend", bytes, &stream_, [&] {
      void* const own = detail::simulated_memory.add(bytes, this, stream_.next(), device_);
      if (own == nullptr)
        detail::throw_error<cuda_error>("simulated_backend::allocate: no memory for %zu bytes", bytes);
      return own;
    });
    ++allocations_;
    if (memory_.source().allocate != nullptr) fill_zero(at, bytes);
    return at;
  }
  /// Releases memory of `bytes` bytes; null is ignored. Any other address that allocate did not return ends the
  /// program.
  void release(void* at, std::size_t bytes) noexcept {
    if (at == nullptr) return;
    memory_.release(at, bytes, &stream_, [&] {
      if (detail::simulated_memory.remove(at)) return;
      std::fprintf(stderr, "simulated_backend::release: %p was not allocated on this device\n", at);
      std::abort();
    });
  }
  /// Sets a limit, or your own allocator, whose memory is that of another simulated backend.
  /// errors  cuda_error, and nothing is changed: another allocator while memory is held, a limit below what is held
  void set_memory(memory_source_type const& source) { memory_.set_source("simulated_backend", source); }
  /// This device has no pool: released memory is never kept.
  void trim(std::size_t = 0) {}

  void to_device(void* to, void const* from, std::size_t bytes) {
    check_device(to, bytes, "to_device", "to");
    check_host(from, bytes, "to_device", "from");
    if (bytes > 0) std::memcpy(to, from, bytes);
  }
  void to_host(void* to, void const* from, std::size_t bytes) {
    check_host(to, bytes, "to_host", "to");
    check_device(from, bytes, "to_host", "from");
    if (bytes > 0) std::memcpy(to, from, bytes);
  }
  /// Copies on the device; the two ranges must not overlap.
  void copy(void* to, void const* from, std::size_t bytes) {
    check_device(to, bytes, "copy", "to");
    check_device(from, bytes, "copy", "from");
    if (bytes > 0 && address(to) < address(from) + bytes && address(from) < address(to) + bytes)
      detail::throw_error<cuda_error>("simulated_backend::copy: %zu bytes to %p and from %p overlap", bytes, to, from);
    if (bytes > 0) std::memcpy(to, from, bytes);
  }
  void fill_zero(void* at, std::size_t bytes) {
    check_device(at, bytes, "fill_zero", "to");
    if (bytes > 0) std::memset(at, 0, bytes);
  }

  /// y = op(a) op(b) for each matrix of a batch, summed in double; with a bias (one number for each column of y) and
  /// ReLU if can_bias_relu<T>.
  /// Product  rows, columns, inner, transpose_a, transpose_b, count, a_offset(i), b_offset(i): op(a) is (rows, inner),
  ///          stored as (inner, rows) if transposed; matrix i of an operand begins at its offset, in elements; y is
  ///          (count, rows, columns), contiguous
  template <class T, class Product>
  void product(T const* a, T const* b, T* y, T const* bias = nullptr, bool relu = false) {
    constexpr std::int64_t rows = Product::rows, columns = Product::columns, inner = Product::inner,
                           count = Product::count;
    std::int64_t a_end = 0, b_end = 0;
    for (std::int64_t i = 0; i < count; ++i) {
      if (Product::a_offset(i) + rows * inner > a_end) a_end = Product::a_offset(i) + rows * inner;
      if (Product::b_offset(i) + inner * columns > b_end) b_end = Product::b_offset(i) + inner * columns;
    }
    check_device(a, bytes_of<T>(a_end), "product", "a from");
    check_device(b, bytes_of<T>(b_end), "product", "b from");
    check_device(y, bytes_of<T>(count * rows * columns), "product", "y to");
    if (bias != nullptr) check_device(bias, bytes_of<T>(columns), "product", "bias from");
    if ((bias != nullptr || relu) && !can_bias_relu<T>)
      detail::throw_error<cuda_error>("simulated_backend::product: bias and ReLU are not supported for double");
    for (std::int64_t i = 0; i < count; ++i)
      multiply<T, Product>(a + Product::a_offset(i), b + Product::b_offset(i), y + i * rows * columns, bias, relu);
    ++products_;
  }

  /// Whether convolve() computes this convolution.
  template <class T, class Convolution>
  bool convolves() const {
    return library_;
  }
  /// A convolution or one of its gradients (device/cuda/library/convolution.hpp), summed in double.
  /// Convolution  value: its convolution_facts; first_size, second_size, result_size: elements of a, b and y
  template <class T, class Convolution>
  void convolve(T const* a, T const* b, T* y) {
    check_device(a, bytes_of<T>(Convolution::first_size), "convolve", "a from");
    check_device(b, bytes_of<T>(Convolution::second_size), "convolve", "b from");
    check_device(y, bytes_of<T>(Convolution::result_size), "convolve", "y to");
    detail::convolve_plainly(Convolution::value, a, b, y);
    ++convolutions_;
  }

  void synchronize() {}
  /// Makes later work on this backend wait for everything that is queued on `other` now.
  void wait_for(simulated_backend const& other) { stream_.wait_for(other.stream_.event()); }
  /// Makes later work on this backend wait for everything that is on a stream of yours now.
  void wait_for(detail::simulated_stream const* stream) { stream_.wait_for(stream->event()); }
  /// Makes later work on a stream of yours wait for everything that is on this backend now.
  void continue_on(detail::simulated_stream* stream) { stream->wait_for(stream_.event()); }
  /// The order of this backend's work among that of others.
  detail::simulated_stream& stream() { return stream_; }

 private:
  static std::uintptr_t address(void const* at) { return reinterpret_cast<std::uintptr_t>(at); }
  template <class T>
  static std::size_t bytes_of(std::int64_t elements) {
    return static_cast<std::size_t>(elements) * sizeof(T);
  }

  void check_device(void const* at, std::size_t bytes, char const* call, char const* which) {
    if (bytes == 0) return;
    stream_.next();
    auto const range = detail::simulated_memory.used_by(at, bytes, stream_);
    if (!range.found)
      detail::throw_error<cuda_error>(
          "simulated_backend::%s: %zu bytes %s %p, which is not memory of this device (is it memory of the host?)",
          call, bytes, which, at);
    if (range.device != device_)
      detail::throw_error<cuda_error>(
          "simulated_backend::%s: %zu bytes %s %p, which is memory of device %d, not of device %d", call, bytes, which,
          at, range.device, device_);
    if (bytes > range.bytes - range.first)
      detail::throw_error<cuda_error>(
          "simulated_backend::%s: %zu bytes %s byte %zu of an allocation of %zu bytes: they extend past its end", call,
          bytes, which, range.first, range.bytes);
    if (!range.ordered)
      detail::throw_error<cuda_error>(
          "simulated_backend::%s: %zu bytes %s %p, which %s on another stream writes; wait for %s first", call, bytes,
          which, at, range.exchanged ? "an exchange" : "a copy", range.exchanged ? "the exchange" : "the copy");
  }
  static void check_host(void const* at, std::size_t bytes, char const* call, char const* which) {
    if (detail::simulated_memory.overlaps(at, bytes))
      detail::throw_error<cuda_error>(
          "simulated_backend::%s: %zu bytes %s %p, which is memory of the device, not of the host", call, bytes, which,
          at);
  }
  template <int Pointers, int Numbers>
  void check_table(kernel_table<Pointers, Numbers> const& t, kernel_name (*name)()) {
    stream_.next();
    for (int i = 0; i < Pointers; ++i) {
      if (t.pointer[i] == nullptr) continue;
      auto const range = detail::simulated_memory.used_by(t.pointer[i], 1, stream_);
      if (!range.found)
        detail::throw_error<cuda_error>(
            "simulated_backend::launch: %s: pointer %d is %p, which is not memory of this device (is it memory of the host?)",
            name().text, i, t.pointer[i]);
      if (range.device != device_)
        detail::throw_error<cuda_error>(
            "simulated_backend::launch: %s: pointer %d is %p, which is memory of device %d, not of device %d",
            name().text, i, t.pointer[i], range.device, device_);
      if (!range.ordered)
        detail::throw_error<cuda_error>(
            "simulated_backend::launch: %s: pointer %d is %p, which %s on another stream writes; wait for %s first",
            name().text, i, t.pointer[i], range.exchanged ? "an exchange" : "a copy",
            range.exchanged ? "the exchange" : "the copy");
    }
  }

  template <class T, class Product>
  static void multiply(T const* a, T const* b, T* y, T const* bias, bool relu) {
    constexpr std::int64_t rows = Product::rows, columns = Product::columns, inner = Product::inner,
                           width = columns < 64 ? columns : 64;
    for (std::int64_t r = 0; r < rows; ++r)
      for (std::int64_t first = 0; first < columns; first += width) {
        std::int64_t const n = columns - first < width ? columns - first : width;
        double sums[static_cast<std::size_t>(width)] = {};
        for (std::int64_t k = 0; k < inner; ++k) {
          auto const factor =
              static_cast<double>(static_cast<compute_type<T>>(a[Product::transpose_a ? k * rows + r : r * inner + k]));
          for (std::int64_t c = 0; c < n; ++c)
            sums[c] += factor * static_cast<double>(static_cast<compute_type<T>>(
                                    b[Product::transpose_b ? (first + c) * inner + k : k * columns + first + c]));
        }
        for (std::int64_t c = 0; c < n; ++c) {
          double const sum =
              sums[c] + (bias != nullptr ? static_cast<double>(static_cast<compute_type<T>>(bias[first + c])) : 0.0);
          y[r * columns + first + c] =
              static_cast<T>(static_cast<compute_type<T>>(relu && !(sum > 0) && !math::isnan(sum) ? 0.0 : sum));
        }
      }
  }

  detail::simulated_stream stream_;
  detail::memory_account<detail::simulated_stream*> memory_;
  fiber_launcher launcher_;
  bool clusters_, library_;
  int device_;
  std::int64_t launches_ = 0, products_ = 0, convolutions_ = 0, allocations_ = 0;
};

}  // namespace espalier::on_cuda
#include "../../../base/diagnostics_pop.hpp"
