// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../../../base/diagnostics_push.hpp"

#include <cassert>
#include <cstddef>
#include <cstdint>

#include "../../../base/host_device.hpp"
#include "../../../storage/half.hpp"

/// Unrolls the next loop, whose bounds are constants, so that arrays in it can stay in registers.
#if defined(__CUDA_ARCH__)  // not in nvcc's host pass: the host compiler has no such pragma
#define ESPALIER_UNROLL _Pragma("unroll")
#else
#define ESPALIER_UNROLL
#endif

/// Loads and stores of elements. Kernels store 16-bit numbers and compute in float; doubles stay doubles. Neighbours
/// are loaded and stored in accesses of up to 16 bytes, the widest of a thread.
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

/// The type that kernels compute in if elements are stored as T.
template <class T>
using compute_type = typename detail::compute_type_of<T>::type;

/// V values of a thread. They stay in registers if every index is a constant.
template <class C, int V>
struct pack {
  C at[static_cast<std::size_t>(V)];
};

namespace detail {

/// The elements of one access; their size in bytes is a power of two.
template <class T, int V>
struct alignas(sizeof(T) * static_cast<std::size_t>(V)) chunk {
  T at[static_cast<std::size_t>(V)];
};

/// Asserts on the host that an address is a multiple of the access: a device faults if it is not, the host does not.
template <class T, int V>
ESPALIER_HOST_DEVICE ESPALIER_INLINE void check_alignment([[maybe_unused]] T const* at) {
#if !defined(__CUDA_ARCH__)
  assert(reinterpret_cast<std::uintptr_t>(at) % sizeof(chunk<T, V>) == 0);
#endif
}

}  // namespace detail

/// Elements of the widest access, up to 16 bytes, that divides all of these numbers: lengths, strides, start offsets.
template <class T, class... Number>
constexpr int access_width(Number... number) {
  int n = 16 / static_cast<int>(sizeof(T));
  while (n > 1 && (((number % n) != 0) || ...)) n /= 2;
  return n;
}
/// The elements of T in the widest access of a thread, 16 bytes.
template <class T>
inline constexpr int full_width = access_width<T>();

/// Loads or stores V elements unconverted, for kernels that only move them. The address must be aligned to one access:
/// to all V elements, or to 16 bytes.
template <class T, int V>
ESPALIER_HOST_DEVICE ESPALIER_INLINE pack<T, V> fetch(T const* from) {
  constexpr int n = access_width<T>(V);
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
template <class T, int V, bool Streams = false>
ESPALIER_HOST_DEVICE ESPALIER_INLINE void put(T* to, pack<T, V> const& x) {
  constexpr int n = access_width<T>(V);
  detail::check_alignment<T, n>(to);
  ESPALIER_UNROLL
  for (int i = 0; i < V / n; ++i) {
    detail::chunk<T, n> some;
    ESPALIER_UNROLL
    for (int k = 0; k < n; ++k) some.at[k] = x.at[i * n + k];
#if defined(__CUDA_ARCH__)
    if constexpr (Streams && sizeof(some) == 16) {
      uint4 bits;
      memcpy(&bits, &some, sizeof bits);
      __stcs(reinterpret_cast<uint4*>(to) + i, bits);
      continue;
    }
#endif
    reinterpret_cast<detail::chunk<T, n>*>(to)[i] = some;
  }
}

/// Loads V elements as numbers to compute with, and stores them back, rounded to the nearest T. Streams: to memory of
/// the device (not shared memory), and the first to leave the caches, so that what is read stays there.
template <class T, int V>
ESPALIER_HOST_DEVICE ESPALIER_INLINE pack<compute_type<T>, V> load(T const* from) {
  pack<T, V> const stored = fetch<T, V>(from);
  pack<compute_type<T>, V> x;
  ESPALIER_UNROLL
  for (int i = 0; i < V; ++i) x.at[i] = static_cast<compute_type<T>>(stored.at[i]);
  return x;
}
template <class T, int V, bool Streams = false>
ESPALIER_HOST_DEVICE ESPALIER_INLINE void store(T* to, pack<compute_type<T>, V> const& x) {
  pack<T, V> stored;
  ESPALIER_UNROLL
  for (int i = 0; i < V; ++i) stored.at[i] = static_cast<T>(x.at[i]);
  put<T, V, Streams>(to, stored);
}

}  // namespace espalier::on_cuda
#include "../../../base/diagnostics_pop.hpp"
