// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../../../base/diagnostics_push.hpp"

#include "../../../operation/rule.hpp"
#include "result_kernel_base.hpp"

namespace espalier::on_cuda {

/// The sums of a thread that adds many terms, one after the other: in blocks, whose sums are added in longer blocks,
/// because errors grow with the additions of a chain. Most: the most terms. Up to 256 of them are one chain. Op: a
/// reduction; void: a sum.
template <class Op, class C, int V, std::int64_t Most>
struct thread_sums {
  static constexpr index32 terms_of_block = 128, terms_of_level = 64 * terms_of_block;
  static constexpr bool in_blocks = Most > 2 * terms_of_block;

  pack<C, V> sum, of_blocks, of_levels;
  index32 terms = 0;

  ESPALIER_HOST_DEVICE ESPALIER_INLINE thread_sums() {
    clear(sum);
    if constexpr (in_blocks) {
      clear(of_blocks);
      clear(of_levels);
    }
  }
  ESPALIER_HOST_DEVICE ESPALIER_INLINE void add(pack<C, V> const& x) {
    combine(sum, x);
    if constexpr (in_blocks) {
      if (++terms % terms_of_block != 0) return;
      move(of_blocks, sum);
      if (terms % terms_of_level == 0) move(of_levels, of_blocks);
    }
  }
  ESPALIER_HOST_DEVICE ESPALIER_INLINE pack<C, V> total() {
    if constexpr (in_blocks) {
      combine(of_blocks, sum);
      combine(of_levels, of_blocks);
      return of_levels;
    } else {
      return sum;
    }
  }

 private:
  ESPALIER_HOST_DEVICE static ESPALIER_INLINE C identity() {
    if constexpr (std::is_void_v<Op>) return C(0);
    else return static_cast<C>(rule<Op>::identity);
  }
  ESPALIER_HOST_DEVICE static ESPALIER_INLINE C combined(C a, C b) {
    if constexpr (std::is_void_v<Op>) return a + b;
    else return rule<Op>::combine(a, b);
  }
  ESPALIER_HOST_DEVICE static ESPALIER_INLINE void clear(pack<C, V>& x) {
    ESPALIER_UNROLL
    for (int v = 0; v < V; ++v) x.at[v] = identity();
  }
  ESPALIER_HOST_DEVICE static ESPALIER_INLINE void combine(pack<C, V>& to, pack<C, V> const& x) {
    ESPALIER_UNROLL
    for (int v = 0; v < V; ++v) to.at[v] = combined(to.at[v], x.at[v]);
  }
  ESPALIER_HOST_DEVICE static ESPALIER_INLINE void move(pack<C, V>& to, pack<C, V>& from) {
    combine(to, from);
    clear(from);
  }
};

}  // namespace espalier::on_cuda
#include "../../../base/diagnostics_pop.hpp"
