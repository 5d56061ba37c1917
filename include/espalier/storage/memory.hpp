// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "ended.hpp"

#include <cstddef>
#include <cstdint>
#include <new>
#include <type_traits>

namespace espalier {

/// The alignment of every tensor in bytes: the size of a cache line, and of the widest vector.
inline constexpr std::size_t tensor_alignment = 64;

/// A tensor of at most this many bytes stores its elements in the object, a larger one in one allocation.
inline constexpr std::size_t inline_bytes = 4096;

namespace detail {

/// Requests storage without initialization: the caller writes all elements before they are read.
struct unfilled {};

inline void* allocate_aligned(std::size_t bytes) { return ::operator new (bytes, std::align_val_t{tensor_alignment}); }
/// A separate function: clang 14 to 19 regard a destructor that calls operator delete directly as a constant expression
/// and omit it.
inline void release_aligned(void* memory) noexcept { ::operator delete (memory, std::align_val_t{tensor_alignment}); }

/// Elements inside the object. The destructor is user-provided for the sake of `tensor r = f(a);`, where `f` has tensor
/// parameters by value and returns a formula of them. Every ABI that g++ and clang share passes such a class by
/// address. The copy in the parameter then lives until the end of the caller's full expression. In builds with NDEBUG
/// the destructor does nothing.
template <class T, std::int64_t Size>
struct inline_memory {
  constexpr inline_memory() : at{} {}
  constexpr explicit inline_memory(unfilled) {
    // A constant expression must not return elements that were never written.
    if (std::is_constant_evaluated())
      for (std::int64_t i = 0; i < Size; ++i) at[i] = T{};
  }
  constexpr inline_memory(inline_memory const&) = default;
  constexpr inline_memory& operator=(inline_memory const&) = default;
  constexpr ~inline_memory() { note_end(at); }
  constexpr T* begin() { return at; }
  constexpr T const* begin() const { return at; }
  constexpr void own() {}
  static constexpr bool has_elements() { return true; }

  alignas(tensor_alignment) T at[static_cast<std::size_t>(Size)];
};

template <class T, std::int64_t Size>
class heap_memory {
 public:
  constexpr heap_memory() : at_(allocate()) { fill(); }
  constexpr explicit heap_memory(unfilled) : at_(allocate()) {}
  constexpr heap_memory(heap_memory const& other) : at_(other.at_ == nullptr ? nullptr : allocate()) {
    copy(other.at_);
  }
  constexpr heap_memory(heap_memory&& other) noexcept : at_(other.at_) { other.at_ = nullptr; }
  constexpr heap_memory& operator=(heap_memory const& other) {
    if (this != &other && other.at_ != nullptr) {
      own();
      copy(other.at_);
    } else if (this != &other) {
      release();
      at_ = nullptr;
    }
    return *this;
  }
  constexpr heap_memory& operator=(heap_memory&& other) noexcept {
    T* const mine = at_;
    at_ = other.at_;
    other.at_ = mine;
    return *this;
  }
  constexpr ~heap_memory() { release(); }

  constexpr T* begin() { return at_; }
  constexpr T const* begin() const { return at_; }
  constexpr bool has_elements() const { return at_ != nullptr; }
  /// Allocates storage for a moved-from tensor that is about to be assigned to.
  constexpr void own() {
    if (at_ == nullptr) at_ = allocate();
  }

 private:
  static constexpr T* allocate() {
    constexpr auto count = static_cast<std::size_t>(Size);
    // clang first tries to evaluate each function's result as a constant, which takes seconds for a million elements.
    // So larger tensors are not constant expressions.
    if constexpr (Size <= 16384)
      if (std::is_constant_evaluated()) return new T[count]{};
    return static_cast<T*>(allocate_aligned(count * sizeof(T)));
  }
  constexpr void release() {
    if (std::is_constant_evaluated()) delete[] at_;
    else {
      note_end(at_);
      release_aligned(at_);
    }
  }
  constexpr void fill() {
    for (std::int64_t i = 0; i < Size; ++i) at_[i] = T{};
  }
  constexpr void copy(T const* from) {
    for (std::int64_t i = 0; from != nullptr && i < Size; ++i) at_[i] = from[i];
  }

  T* at_;
};

template <class T, std::int64_t Size>
using memory = std::conditional_t<(static_cast<std::size_t>(Size) * sizeof(T) <= inline_bytes), inline_memory<T, Size>,
                                  heap_memory<T, Size>>;

}  // namespace detail
}  // namespace espalier
#include "../base/diagnostics_pop.hpp"
