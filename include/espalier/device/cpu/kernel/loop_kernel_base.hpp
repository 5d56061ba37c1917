// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../../../base/diagnostics_push.hpp"

#include "../../kernel_schedule.hpp"
#include "../../line_estimate.hpp"
#include "../caches.hpp"
#include "../vector/simd.hpp"
#include "one_lane.hpp"

/// What kernels along rows and kernels down columns share: loads, instructions and reductions of one vector of a fused
/// group.
namespace espalier::on_cpu {

using namespace on_device;

namespace detail {

using namespace on_device::detail;

/// Reduces the lanes of a pack: with the op's own function for that if it has one, otherwise by halves.
template <class Op, class T, class Arch>
ESPALIER_INLINE T reduce_pack(pack<T, Arch> x) {
  if constexpr (requires { rule<Op>::across(x); }) {
    return rule<Op>::across(x);
  } else {
    alignas(64) T lanes[static_cast<std::size_t>(pack<T, Arch>::size)];
    x.store(lanes);
    for (int half = pack<T, Arch>::size / 2; half > 0; half /= 2)
      for (int i = 0; i < half; ++i) lanes[i] = rule<Op>::combine(lanes[i], lanes[i + half]);
    return lanes[0];
  }
}

/// The value of Op. One function is compiled for each op, not for each instruction of each kernel. Unused operands are
/// unspecified. Operands are not const: without optimisation g++ warns of const references to values that are not
/// computed yet.
template <class Op, class N>
ESPALIER_INLINE N applied_to(N& a, [[maybe_unused]] N& b, [[maybe_unused]] N& c) {
  if constexpr (std::is_same_v<Op, copy_op>) return a;
  else if constexpr (rule<Op>::arity == 1) return rule<Op>::apply(a);
  else if constexpr (rule<Op>::arity == 2) return rule<Op>::apply(a, b);
  else return rule<Op>::apply(a, b, c);
}
/// The same for single numbers. Expensive ops are computed as packs compute them.
template <class Op, class Arch, class T>
ESPALIER_INLINE T number_of(T& a, [[maybe_unused]] T& b, [[maybe_unused]] T& c) {
  if constexpr (is_expensive<Op> && arity_of<Op>() == 1) return rule<Op>::apply(pack<T, Arch>(a))[0];
  else return applied_to<Op>(a, b, c);
}

constexpr int unroll(int vectors, int work) {
  // Four chains are enough for a bare sum. More work hides its own latency, and unrolled vectors cost compile time.
  int const most = work <= 2 ? 4 : 1;
  for (int u = most; u > 1; --u)
    if (vectors % u == 0) return u;
  return 1;
}

}  // namespace detail

/// The operands in memory of an extent class, as numbers.
template <class Facts, extent_class Extent>
using operands_in_memory = set_members<Facts::memory_at(Extent)>;

/// The base of kernels over a fused group, in both directions: the vectors of one sweep, and the statistics of a line
/// after it.
template <extent_class Line, class T, class Arch, class Instructions, class Operands, class Outputs, int Spare = -1>
struct loop_kernel_base {
  using V = pack<T, Arch>;
  using facts = kernel_schedule<Line, Spare, Instructions, Operands, Outputs>;
  static constexpr int instructions = facts::instructions, operands = facts::operands, width = V::size;
  using operand_indices = std::make_integer_sequence<int, operands>;

  using constants = set_members<facts::sets.constants>;
  static constexpr detail::bits index_operands = facts::sets.indices, reductions = facts::sets.reductions;

  template <int I>
  static constexpr T identity = static_cast<T>(facts::identity_at[I]);
  /// The output that stores instruction I. A template: clang would call a function at run time.
  template <int I>
  static constexpr int output = facts::output_of(I);

  // All values that an instruction may read are in one array: those of instructions by their numbers, then those of
  // operands.
  static constexpr int value_count = instructions + operands;
  using value_packs = V[static_cast<std::size_t>(value_count) + 1];
  using value_numbers = T[static_cast<std::size_t>(value_count) + 1];
  /// Stores the operands that are constants in such an array.
  template <class N, int... K>
  static ESPALIER_INLINE void put_constants(N* v, std::integer_sequence<int, K...>) {
    ((v[instructions + K] = N(static_cast<T>(graph::constant_in(facts::bits_at[K])))), ...);
    (void)v;
  }
  /// Loads element `at` of some operands in memory, for all lanes.
  template <class N, int... K>
  static ESPALIER_INLINE void put_elements(N* v, T const* const* in, std::ptrdiff_t at,
                                           std::integer_sequence<int, K...>) {
    ((v[instructions + K] = N(in[K][at])), ...);
    (void)v, (void)in, (void)at;
  }
  /// Loads the first Count lanes of some operands in memory, from element `at` on.
  template <int Count, int... K>
  static ESPALIER_INLINE void put_lanes(V* v, T const* const* in, std::ptrdiff_t at, std::integer_sequence<int, K...>) {
    ((v[instructions + K] = V::template load_first<Count>(in[K] + at)), ...);
    (void)v, (void)in, (void)at;
  }
  template <int... I, class... Op, extent_class... W, int... A, int... B, int... C>
  static ESPALIER_INLINE void compute(V* v, list<detail::numbered_instruction<I, instruction<Op, W, A, B, C>>...>) {
    ((v[I] = detail::applied_to<Op>(v[A >= 0 ? A : instructions - 1 - A], v[B >= 0 ? B : instructions - 1 - B],
                                    v[C >= 0 ? C : instructions - 1 - C])),
     ...);
    (void)v;
  }
  template <int... I, class... Op, extent_class... W, int... A, int... B, int... C>
  static ESPALIER_INLINE void compute_numbers(T* v,
                                              list<detail::numbered_instruction<I, instruction<Op, W, A, B, C>>...>) {
    ((v[I] = detail::number_of<Op, Arch>(v[A >= 0 ? A : instructions - 1 - A], v[B >= 0 ? B : instructions - 1 - B],
                                         v[C >= 0 ? C : instructions - 1 - C])),
     ...);
    (void)v;
  }
  template <int Count>
  static ESPALIER_INLINE V of_lanes(V x, T identity) {
    if constexpr (Count < width) return select(V::template first_lanes<Count>(), x, V(identity));
    else return x;
  }
  /// Adds Count lanes of the operands of reductions to their sums.
  template <int Count, int... I, class... Op, extent_class... W, int... A, int... B, int... C>
  static ESPALIER_INLINE void add(V* sum, V const* v,
                                  list<detail::numbered_instruction<I, instruction<Op, W, A, B, C>>...>) {
    ((sum[I] = rule<Op>::combine(
          sum[I], of_lanes<Count>(v[A >= 0 ? A : instructions - 1 - A], static_cast<T>(facts::identity_at[I])))),
     ...);
    (void)sum, (void)v;
  }
  template <int... I, class... Op, extent_class... W, int... A, int... B, int... C>
  static ESPALIER_INLINE void combine_all(V* to, V const* from,
                                          list<detail::numbered_instruction<I, instruction<Op, W, A, B, C>>...>) {
    ((to[I] = rule<Op>::combine(to[I], from[I])), ...);
    (void)to, (void)from;
  }
  template <int... I, class... Op, extent_class... W, int... A, int... B, int... C>
  static ESPALIER_INLINE void reduce_totals(T* v, V const* total,
                                            list<detail::numbered_instruction<I, instruction<Op, W, A, B, C>>...>) {
    ((v[I] = detail::reduce_pack<Op>(total[I])), ...);
    (void)v, (void)total;
  }
  /// Stores results that have one number for each line, or for the whole group.
  template <int... I>
  static ESPALIER_INLINE void store_numbers(T* const* out, T const* v, std::ptrdiff_t at,
                                            std::integer_sequence<int, I...>) {
    ((out[output<I>][at] = v[I]), ...);
    (void)out, (void)v, (void)at;
  }
  // The parts of a sweep, and of the statistics after it.

  enum value_role { reloaded, evaluated };
  /// The values that a vector of sweep s reloads from where an earlier sweep stored them, or computes.
  static constexpr detail::bits values_in_sweep(int s, value_role role) {
    detail::bits r = 0;
    for (detail::bits rest = facts::schedule.needed[s]; rest != 0; rest &= rest - 1) {
      int const i = __builtin_ctzll(rest);
      if (facts::is_reloaded(s, i) == (role == reloaded)) r |= detail::bit(i);
    }
    return r;
  }
  enum statistic_role { estimated, reduced, computed, accumulated };
  /// The statistics of a line after sweep s, by role: estimated from three elements, reduced from its sum, or computed.
  /// Others are accumulated in sums over all elements.
  static constexpr detail::bits statistics(int s, statistic_role role) {
    detail::bits r = 0;
    for (detail::bits rest = facts::statistics_after(s); rest != 0; rest &= rest - 1) {
      int const i = __builtin_ctzll(rest);
      if (role == (facts::estimated_first(i)                 ? estimated
                   : !facts::instruction_at[i].reduces       ? computed
                   : facts::instruction_at[i].extent == Line ? reduced
                                                             : accumulated))
        r |= detail::bit(i);
    }
    return r;
  }

  template <int... I>
  static ESPALIER_INLINE void clear(V* sum, std::integer_sequence<int, I...>) {
    ((sum[I] = V(identity<I>)), ...);
    (void)sum;
  }
};

}  // namespace espalier::on_cpu
#include "../../../base/diagnostics_pop.hpp"
