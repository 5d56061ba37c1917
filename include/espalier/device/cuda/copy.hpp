// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <utility>

#include "sweep.hpp"

namespace espalier::on_cuda {

/// y = x, labels or booleans as numbers.
/// table   x, y
template <class T, class From, std::int64_t Size>
struct numbers_kernel : sweep<numbers_kernel<T, From, Size>, T, Size, full_width<T>, 2> {
  static constexpr int V = full_width<T>;
  using table = kernel_table<2>;

  ESPALIER_EVERYWHERE static ESPALIER_INLINE T number(From x) { return static_cast<T>(static_cast<compute_type<T>>(x)); }
  ESPALIER_EVERYWHERE static ESPALIER_INLINE pack<T, V> some(table const& t, index32 i) {
    pack<From, V> const x = fetch<From, V>(static_cast<From const*>(t.pointer[0]) + i * V);
    pack<T, V> y;
    ESPALIER_UNROLL
    for (int k = 0; k < V; ++k) y.at[k] = number(x.at[k]);
    return y;
  }
  ESPALIER_EVERYWHERE static ESPALIER_INLINE T one(table const& t, index32 flat) { return number(static_cast<From const*>(t.pointer[0])[flat]); }
};

/// y = x, for several pairs in one launch.
/// table   all x, then all y
template <class T, std::int64_t... Size>
struct copies_kernel {
  static constexpr int count = sizeof...(Size);
  using table = kernel_table<2 * count>;
  static constexpr int threads = 256, cluster = 1, V = full_width<T>, together = 4;
  static constexpr std::int64_t blocks_for(std::int64_t size) { return (size + std::int64_t{V} * threads * together - 1) / (std::int64_t{V} * threads * together); }
  static constexpr std::int64_t blocks = (std::int64_t{0} + ... + blocks_for(Size));
  static constexpr int access = ((Size >= V) || ...) ? 16 : 0;

  template <class Context>
  ESPALIER_EVERYWHERE static void run(Context const& c, table const& t) {
    all(t, static_cast<index32>(c.block()), static_cast<index32>(c.thread()), std::make_integer_sequence<int, count>{});
  }

 private:
  /// The blocks before pair K's.
  static constexpr std::int64_t first_of(int k) {
    constexpr std::int64_t size[] = {Size...};
    std::int64_t n = 0;
    for (int i = 0; i < k; ++i) n += blocks_for(size[i]);
    return n;
  }
  static constexpr std::int64_t size_of(int k) {
    constexpr std::int64_t size[] = {Size...};
    return size[k];
  }
  template <int... K>
  ESPALIER_EVERYWHERE static ESPALIER_INLINE void all(table const& t, index32 block, index32 thread, std::integer_sequence<int, K...>) {
    (pair<K>(t, block, thread), ...);
  }
  template <int K>
  ESPALIER_EVERYWHERE static ESPALIER_INLINE void pair(table const& t, index32 block, index32 thread) {
    constexpr index32 begin = static_cast<index32>(first_of(K)), end = static_cast<index32>(first_of(K + 1)), size = static_cast<index32>(size_of(K)), whole = size / V;
    if (block - begin >= end - begin) return;
    T const* const x = static_cast<T const*>(t.pointer[K]);
    T* const y = static_cast<T*>(t.pointer[count + K]);
    index32 const first = (block - begin) * (threads * together) + thread;
    if constexpr (whole > 0) {
      pack<T, V> held[static_cast<std::size_t>(together)];
      ESPALIER_UNROLL
      for (index32 k = 0; k < together; ++k)
        if (first + k * threads < whole) held[k] = fetch<T, V>(x + (first + k * threads) * V);
      ESPALIER_UNROLL
      for (index32 k = 0; k < together; ++k)
        if (first + k * threads < whole) put<T, V>(y + (first + k * threads) * V, held[k]);
    }
    if constexpr (size % V != 0)
      if (block == begin && thread < size % V) y[whole * V + thread] = x[whole * V + thread];
  }
};

}  // namespace espalier::on_cuda
