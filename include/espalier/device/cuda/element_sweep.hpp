// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "element.hpp"
#include "kernel.hpp"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
namespace espalier::on_cuda {

/// Numbers of elements: a tensor has fewer than 2^31, and a constant divisor of 32 bits is a multiplication.
using index32 = std::uint32_t;

/// The launch of a kernel that writes its result from the first element to the last, V of them a thread and access. Kernel says
///   static pack<T, V> some(table const&, index32 i)         elements V i ... V i + V - 1 of the result
///   static T one(table const&, index32 flat)                an element, where V does not divide their number; V = 1 needs none
/// and has the result as its table's last pointer. Together: how many accesses of a thread are under way at once where there are enough for all.
template <class Kernel, class T, std::int64_t Size, int V, int Pointers, int Numbers = 0, int Together = 4>
struct sweep {
  using table = kernel_table<Pointers, Numbers>;
  static constexpr int threads = 256, cluster = 1;
  static constexpr std::int64_t whole = Size / V;
  static constexpr int rest = static_cast<int>(Size % V);
  static constexpr int together = whole >= std::int64_t{1} << 18 || Together == 1 ? Together : whole >= std::int64_t{1} << 16 ? 2 : 1;
  static constexpr std::int64_t of_block = std::int64_t{threads} * together, blocks = whole > of_block ? (whole + of_block - 1) / of_block : 1;

  /// Bytes of the widest access that a kernel promises; 0: none.
  static constexpr int store_access = whole > 0 && V * static_cast<int>(sizeof(T)) >= 16 ? 16 : 0;

  template <class Context>
  ESPALIER_EVERYWHERE static void run(Context const& c, table const& t) {
    T* const y = static_cast<T*>(t.pointer[Pointers - 1]);
    index32 const first = static_cast<index32>(c.block()) * static_cast<index32>(of_block) + static_cast<index32>(c.thread());
    constexpr index32 apart = threads, end = static_cast<index32>(whole);
    if constexpr (whole == 0) {
    } else if constexpr (together == 1) {
      if (first < end) put<T, V>(y + V * first, Kernel::some(t, first));
    } else {
      pack<T, V> x[static_cast<std::size_t>(together)];
      ESPALIER_UNROLL
      for (int k = 0; k < together; ++k) {
        index32 const i = first + static_cast<index32>(k) * apart;
        if (whole % of_block == 0 || i < end) x[k] = Kernel::some(t, i);
      }
      ESPALIER_UNROLL
      for (int k = 0; k < together; ++k) {
        index32 const i = first + static_cast<index32>(k) * apart;
        if (whole % of_block == 0 || i < end) put<T, V>(y + V * i, x[k]);
      }
    }
    if constexpr (rest != 0) {
      index32 const flat = static_cast<index32>(whole * V) + static_cast<index32>(c.thread());
      if (c.block() == 0 && c.thread() < rest) y[flat] = Kernel::one(t, flat);
    }
  }
};

/// The most elements of T that a thread reads or writes at once.
template <class T>
inline constexpr int full_width = 16 / static_cast<int>(sizeof(T));

}  // namespace espalier::on_cuda
#pragma GCC diagnostic pop
