// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <cassert>
#include <cstddef>
#include <cstdint>

#include "../../base/everywhere.hpp"
#include "../../storage/half.hpp"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
/// Before a loop whose bounds are constants: its arrays live in registers once it is written out.
#if defined(__CUDA_ARCH__)  // nvcc's pass for the host does not know the word
#define ESPALIER_UNROLL _Pragma("unroll")
#else
#define ESPALIER_UNROLL
#endif

/// Elements in memory and in registers. Kernels store 16-bit numbers and compute with floats; doubles stay doubles. A group of elements travels in
/// accesses of up to 16 bytes, which is the widest a thread has.
namespace espalier::on_cuda {

namespace detail {
template <class T>
struct compute_type_of {
  using type = T;
};
template <>
struct compute_type_of<half> {
  using type = float;
};
template <>
struct compute_type_of<bfloat16> {
  using type = float;
};
}  // namespace detail

/// What is computed with where T is stored.
template <class T>
using compute_type = typename detail::compute_type_of<T>::type;

/// V values of a thread. Indexed by constants alone, they live in registers.
template <class C, int V>
struct pack {
  C at[static_cast<std::size_t>(V)];
};

namespace detail {

/// Elements of one access: their bytes are a power of two.
template <class T, int V>
struct alignas(sizeof(T) * static_cast<std::size_t>(V)) chunk {
  T at[static_cast<std::size_t>(V)];
};
/// Elements of each access when V of them lie in a row: 16 bytes' worth where that divides them, else the largest power of two that does.
template <class T, int V>
inline constexpr int chunk_size = [] {
  int n = 16 / static_cast<int>(sizeof(T));
  while (n > 1 && V % n != 0) n /= 2;
  return n;
}();

/// A device faults where an address is no multiple of the access; this processor does not mind, and so is asked.
template <class T, int V>
ESPALIER_EVERYWHERE ESPALIER_INLINE void check_alignment([[maybe_unused]] T const* at) {
#if !defined(__CUDA_ARCH__)
  assert(reinterpret_cast<std::uintptr_t>(at) % sizeof(chunk<T, V>) == 0);
#endif
}

}  // namespace detail

/// The most elements of an access (16 bytes' worth) that divide all of these numbers: extents, strides, places where something starts.
template <class T, class... Number>
constexpr int widest(Number... number) {
  int n = 16 / static_cast<int>(sizeof(T));
  while (n > 1 && (((number % n) != 0) || ...)) n /= 2;
  return n;
}

/// V elements as they are stored, for kernels that only move them. `from` is aligned to the whole, or to 16 bytes.
template <class T, int V>
ESPALIER_EVERYWHERE ESPALIER_INLINE pack<T, V> fetch(T const* from) {
  constexpr int n = detail::chunk_size<T, V>;
  detail::check_alignment<T, n>(from);
  pack<T, V> x;
  ESPALIER_UNROLL
  for (int i = 0; i < V / n; ++i) {
    detail::chunk<T, n> const some = reinterpret_cast<detail::chunk<T, n> const*>(from)[i];
    ESPALIER_UNROLL
    for (int k = 0; k < n; ++k) x.at[i * n + k] = some.at[k];
  }
  return x;
}
template <class T, int V>
ESPALIER_EVERYWHERE ESPALIER_INLINE void put(T* to, pack<T, V> const& x) {
  constexpr int n = detail::chunk_size<T, V>;
  detail::check_alignment<T, n>(to);
  ESPALIER_UNROLL
  for (int i = 0; i < V / n; ++i) {
    detail::chunk<T, n> some;
    ESPALIER_UNROLL
    for (int k = 0; k < n; ++k) some.at[k] = x.at[i * n + k];
    reinterpret_cast<detail::chunk<T, n>*>(to)[i] = some;
  }
}

/// V elements to compute with, and back, rounded to the nearest T.
template <class T, int V>
ESPALIER_EVERYWHERE ESPALIER_INLINE pack<compute_type<T>, V> load(T const* from) {
  pack<T, V> const stored = fetch<T, V>(from);
  pack<compute_type<T>, V> x;
  ESPALIER_UNROLL
  for (int i = 0; i < V; ++i) x.at[i] = static_cast<compute_type<T>>(stored.at[i]);
  return x;
}
template <class T, int V>
ESPALIER_EVERYWHERE ESPALIER_INLINE void store(T* to, pack<compute_type<T>, V> const& x) {
  pack<T, V> stored;
  ESPALIER_UNROLL
  for (int i = 0; i < V; ++i) stored.at[i] = static_cast<T>(x.at[i]);
  put<T, V>(to, stored);
}

}  // namespace espalier::on_cuda
#pragma GCC diagnostic pop
