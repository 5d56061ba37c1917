// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../nest_facts.hpp"
#include "caches.hpp"
#include "simd.hpp"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
/// The lanes of a fused group's sweeps: what loops over rows and loops down columns share.
namespace espalier::on_cpu {

using namespace fused;

namespace detail {

using namespace fused::detail;

/// Reducing the lanes of a pack: with the op's own way across lanes where it has one, else by halves.
template <class Op, class T, class Arch>
ESPALIER_INLINE T fold_pack(pack<T, Arch> x) {
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

/// The value of Op. A function is made for each op, not for each step of each kernel; c, and b, where the op has fewer operands, is anything. They are not
/// const: without optimisation g++ warns of a const reference to what is not computed yet.
template <class Op, class N>
ESPALIER_INLINE N applied_to(N& a, [[maybe_unused]] N& b, [[maybe_unused]] N& c) {
  if constexpr (std::is_same_v<Op, copy_op>) return a;
  else if constexpr (rule<Op>::arity == 1) return rule<Op>::apply(a);
  else if constexpr (rule<Op>::arity == 2) return rule<Op>::apply(a, b);
  else return rule<Op>::apply(a, b, c);
}
/// The same of single numbers; what is costly is computed as packs compute it.
template <class Op, class Arch, class T>
ESPALIER_INLINE T number_of(T& a, [[maybe_unused]] T& b, [[maybe_unused]] T& c) {
  if constexpr (is_costly<Op> && arity_of<Op>() == 1) return rule<Op>::apply(pack<T, Arch>(a))[0];
  else return applied_to<Op>(a, b, c);
}

constexpr int unroll(int vectors, int work) {
  int const most = work <= 2 ? 4 : 1;  // enough chains for a bare sum; more work hides its own latency, and unrolled lanes cost the compiler
  for (int u = most; u > 1; --u)
    if (vectors % u == 0) return u;
  return 1;
}

}  // namespace detail

/// What both directions of a fused group share: the lanes of one sweep, and what is known of a line after it.
template <place Inner, class T, class Arch, class Steps, class Leaves, class Outputs, int Spare = -1>
struct nest {
  using V = pack<T, Arch>;
  using facts = nest_facts<Inner, Spare, Steps, Leaves, Outputs>;
  static constexpr int steps = facts::steps, leaves = facts::leaves, width = V::size;
  using leaf_numbers = std::make_integer_sequence<int, leaves>;

  static constexpr detail::bits constant_leaves = facts::sets.constants, index_leaves = facts::sets.indices, reductions = facts::sets.reductions;

  template <int I>
  static constexpr T identity = static_cast<T>(facts::identity_at[I]);
  /// The output that stores step I. A template: clang would call a function at run time.
  template <int I>
  static constexpr int output = facts::output_of(I);

  // What a step may read lies in one array: the steps' values by their numbers, behind them the leaves'.
  static constexpr int operands = steps + leaves;
  using operand_packs = V[static_cast<std::size_t>(operands) + 1];
  using operand_numbers = T[static_cast<std::size_t>(operands) + 1];
  /// The leaves of such an array that are constants.
  template <class N, int... K>
  static ESPALIER_INLINE void put_constants(N* v, std::integer_sequence<int, K...>) {
    ((v[steps + K] = N(static_cast<T>(std::bit_cast<double>(facts::bits_at[K])))), ...);
    (void)v;
  }
  /// Element `at` of some leaves in memory, for all lanes.
  template <class N, int... K>
  static ESPALIER_INLINE void put_elements(N* v, T const* const* in, std::ptrdiff_t at, std::integer_sequence<int, K...>) {
    ((v[steps + K] = N(in[K][at])), ...);
    (void)v, (void)in, (void)at;
  }
  /// The first Count lanes from element `at` on of some leaves in memory.
  template <int Count, int... K>
  static ESPALIER_INLINE void put_lanes(V* v, T const* const* in, std::ptrdiff_t at, std::integer_sequence<int, K...>) {
    ((v[steps + K] = V::template load_first<Count>(in[K] + at)), ...);
    (void)v, (void)in, (void)at;
  }
  template <int... I, class... Op, place... W, int... A, int... B, int... C>
  static ESPALIER_INLINE void compute(V* v, list<detail::numbered_step<I, step<Op, W, A, B, C>>...>) {
    ((v[I] = detail::applied_to<Op>(v[A >= 0 ? A : steps - 1 - A], v[B >= 0 ? B : steps - 1 - B], v[C >= 0 ? C : steps - 1 - C])), ...);
    (void)v;
  }
  template <int... I, class... Op, place... W, int... A, int... B, int... C>
  static ESPALIER_INLINE void compute_numbers(T* v, list<detail::numbered_step<I, step<Op, W, A, B, C>>...>) {
    ((v[I] = detail::number_of<Op, Arch>(v[A >= 0 ? A : steps - 1 - A], v[B >= 0 ? B : steps - 1 - B], v[C >= 0 ? C : steps - 1 - C])), ...);
    (void)v;
  }
  template <int Count>
  static ESPALIER_INLINE V of_lanes(V x, T identity) {
    if constexpr (Count < width) return select(V::template first_lanes<Count>(), x, V(identity));
    else return x;
  }
  /// Adds what reductions reduce to their sums; of Count lanes.
  template <int Count, int... I, class... Op, place... W, int... A, int... B, int... C>
  static ESPALIER_INLINE void add(V* sum, V const* v, list<detail::numbered_step<I, step<Op, W, A, B, C>>...>) {
    ((sum[I] = rule<Op>::combine(sum[I], of_lanes<Count>(v[A >= 0 ? A : steps - 1 - A], static_cast<T>(facts::identity_at[I])))), ...);
    (void)sum, (void)v;
  }
  template <int... I, class... Op, place... W, int... A, int... B, int... C>
  static ESPALIER_INLINE void combine_all(V* to, V const* from, list<detail::numbered_step<I, step<Op, W, A, B, C>>...>) {
    ((to[I] = rule<Op>::combine(to[I], from[I])), ...);
    (void)to, (void)from;
  }
  template <int... I, class... Op, place... W, int... A, int... B, int... C>
  static ESPALIER_INLINE void fold_totals(T* v, V const* total, list<detail::numbered_step<I, step<Op, W, A, B, C>>...>) {
    ((v[I] = detail::fold_pack<Op>(total[I])), ...);
    (void)v, (void)total;
  }
  /// Results of one number for each line, or for the whole group.
  template <int... I>
  static ESPALIER_INLINE void store_numbers(T* const* out, T const* v, std::ptrdiff_t at, std::integer_sequence<int, I...>) {
    ((out[output<I>][at] = v[I]), ...);
    (void)out, (void)v, (void)at;
  }
  template <detail::bits Set>
  using steps_of = steps_in<facts, Set>;

  // The parts of a sweep, and of what is known after it.

  enum lane_as { back, fresh, left };
  /// What a lane of sweep S takes back from where an earlier sweep has left it, computes, leaves for a later sweep.
  static constexpr detail::bits in_lane(int s, lane_as how) {
    detail::bits r = 0;
    for (detail::bits rest = facts::plan.needed[s]; rest != 0; rest &= rest - 1) {
      int const i = __builtin_ctzll(rest);
      if (how == left ? facts::leaves_behind(s, i) : facts::comes_back(s, i) == (how == back)) r |= detail::bit(i);
    }
    return r;
  }
  /// What sweep s adds to sums at these places.
  static constexpr detail::bits added_to(int s, auto... where) { return facts::sets.reduced[s] & (facts::steps_at(where) | ...); }
  enum known_as { taken, folded, figured, added };
  /// What is known of a line after sweep s: taken from three elements, from its sum, computed; and what goes to numbers of everything.
  static constexpr detail::bits known(int s, known_as how) {
    detail::bits r = 0;
    for (detail::bits rest = facts::known_after(s); rest != 0; rest &= rest - 1) {
      int const i = __builtin_ctzll(rest);
      if (how == (facts::taken_first(i) ? taken : !facts::step_at[i].reduces ? figured : facts::step_at[i].where == Inner ? folded : added)) r |= detail::bit(i);
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
#pragma GCC diagnostic pop
