// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../../../base/diagnostics_push.hpp"

#include <cstddef>
#include <cstdint>

#include "../error.hpp"

namespace espalier::on_cuda {

/// Where a backend takes its device memory from, for backend.set_memory().
/// limit     the bytes that tensors, models and programs of the backend may hold at a time
/// keep      the bytes of released memory that the backend's own pool keeps for later; more goes back to the device
///           when the host next waits for the backend
/// allocate  your allocator: returns memory of the device, aligned to 256 bytes, which work on the stream may use; null
///           if there is none. Then the backend has no pool
/// release   gives such memory back, behind the work that is queued on the stream. It must not throw
/// context   passed to both
template <class Stream>
struct memory_source {
  static constexpr std::size_t unlimited = ~std::size_t{0};
  std::size_t limit = unlimited, keep = unlimited;
  void* (*allocate)(std::size_t bytes, Stream stream, void* context) = nullptr;
  void (*release)(void* at, std::size_t bytes, Stream stream, void* context) = nullptr;
  void* context = nullptr;
};

namespace detail {

/// The source of a backend's memory and the bytes that it holds.
template <class Stream>
class memory_account {
 public:
  using source_type = memory_source<Stream>;

  source_type const& source() const { return source_; }
  std::size_t held() const { return held_; }
  /// errors  cuda_error for one function without the other, another allocator while memory is held, and a limit below
  ///         what is held
  void set_source(char const* backend, source_type const& source) {
    if ((source.allocate == nullptr) != (source.release == nullptr))
      throw_error<cuda_error>("%s::set_memory: expected both allocate and release, or neither, got one", backend);
    bool const same = source.allocate == source_.allocate && source.release == source_.release &&
                      (source.allocate == nullptr || source.context == source_.context);
    if (!same && held_ > 0)
      throw_error<cuda_error>(
          "%s::set_memory: expected to be called before memory is taken from another allocator, which holds %zu bytes",
          backend, held_);
    if (source.limit < held_)
      throw_error<cuda_error>("%s::set_memory: expected a limit of at least the %zu bytes that are held, got %zu",
                              backend, held_, source.limit);
    source_ = source;
  }
  /// Memory of the user's allocator, or of own(). errors: cuda_error
  template <class Own>
  void* allocate(char const* backend, std::size_t bytes, Stream stream, Own const& own) {
    if (source_.limit != source_type::unlimited && bytes > source_.limit - held_)
      throw_error<cuda_error>(
          "%s::allocate: %zu bytes exceed the limit of %zu bytes (set_memory), of which %zu are in use", backend, bytes,
          source_.limit, held_);
    void* at = nullptr;
    if (source_.allocate == nullptr) {
      at = own();
    } else {
      at = source_.allocate(bytes > 0 ? bytes : 1, stream, source_.context);
      bool const aligned = reinterpret_cast<std::uintptr_t>(at) % 256 == 0;
      if (at != nullptr && !aligned) source_.release(at, bytes > 0 ? bytes : 1, stream, source_.context);
      if (at == nullptr || !aligned)
        throw_error<cuda_error>(
            "%s::allocate: expected memory that is aligned to 256 bytes from your allocator, got %p", backend, at);
    }
    held_ += bytes;
    return at;
  }
  /// own(at) releases memory of the backend's pool.
  template <class Own>
  void release(void* at, std::size_t bytes, Stream stream, Own const& own) noexcept {
    held_ -= bytes;
    if (source_.release == nullptr) own();
    else source_.release(at, bytes > 0 ? bytes : 1, stream, source_.context);
  }

 private:
  source_type source_{};
  std::size_t held_ = 0;
};

}  // namespace detail

}  // namespace espalier::on_cuda
#include "../../../base/diagnostics_pop.hpp"
