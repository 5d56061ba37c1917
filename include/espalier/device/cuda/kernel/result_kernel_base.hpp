// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../../../base/diagnostics_push.hpp"

#include "load_store.hpp"
#include "kernel.hpp"

namespace espalier::on_cuda {

/// An element's index. A tensor has fewer than 2^31 elements, and 32-bit division by a constant is a multiplication.
using index32 = std::uint32_t;

/// Base of kernels that compute each element of one result: a thread stores V elements in one access. Kernel defines
///   static pack<T, V> some(table const&, index32 i)         elements V i ... V i + V - 1 of the result
///   static T one(table const&, index32 flat)                one element; needed only if V does not divide their number
/// and the last pointer of its table is the result.
/// AccessesPerThread: the most accesses of a thread in flight; fewer if there are not enough for all threads.
template <class Kernel, class T, std::int64_t Size, int V, int Pointers, int Numbers = 0, int AccessesPerThread = 4>
struct result_kernel_base {
  using table = kernel_table<Pointers, Numbers>;
  static constexpr int threads = 256, cluster = 1;
  static constexpr std::int64_t whole = Size / V;
  static constexpr int rest = static_cast<int>(Size % V);
  static constexpr int accesses_per_thread = whole >= std::int64_t{1} << 18 || AccessesPerThread == 1
                                                 ? AccessesPerThread
                                             : whole >= std::int64_t{1} << 16 ? 2
                                                                              : 1;
  static constexpr std::int64_t of_block = std::int64_t{threads} * accesses_per_thread,
                                blocks = whole > of_block ? (whole + of_block - 1) / of_block : 1;

  /// Bytes of the widest store that the kernel guarantees; 0: no guarantee.
  static constexpr int store_access = whole > 0 && V* static_cast<int>(sizeof(T)) >= 16 ? 16 : 0;

  template <class Context>
  ESPALIER_HOST_DEVICE static void run(Context const& c, table const& t) {
    T* const y = static_cast<T*>(t.pointer[Pointers - 1]);
    index32 const first =
        static_cast<index32>(c.block()) * static_cast<index32>(of_block) + static_cast<index32>(c.thread());
    constexpr index32 stride = threads, end = static_cast<index32>(whole);
    if constexpr (whole == 0) {
    } else if constexpr (accesses_per_thread == 1) {
      if (first < end) put<T, V>(y + V * first, Kernel::some(t, first));
    } else {
      pack<T, V> x[static_cast<std::size_t>(accesses_per_thread)];  // (accesses, V)
      ESPALIER_UNROLL
      for (int k = 0; k < accesses_per_thread; ++k) {
        index32 const i = first + static_cast<index32>(k) * stride;
        if (whole % of_block == 0 || i < end) x[k] = Kernel::some(t, i);
      }
      ESPALIER_UNROLL
      for (int k = 0; k < accesses_per_thread; ++k) {
        index32 const i = first + static_cast<index32>(k) * stride;
        if (whole % of_block == 0 || i < end) put<T, V>(y + V * i, x[k]);
      }
    }
    if constexpr (rest != 0) {
      index32 const flat = static_cast<index32>(whole * V) + static_cast<index32>(c.thread());
      if (c.block() == 0 && c.thread() < rest) y[flat] = Kernel::one(t, flat);
    }
  }
};

}  // namespace espalier::on_cuda
#include "../../../base/diagnostics_pop.hpp"
