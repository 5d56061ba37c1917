// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../../plan/code.hpp"
#include "simd.hpp"

/// A fused group as a type, and what its loops must know about it: which steps run in which sweep over the data.
namespace espalier::on_cpu {

using plan::leaf_kind;
using plan::order;
using plan::place;

/// One operation of a group. Operands: a step's number, or -1 minus a leaf's number. Op void: a copy.
template <class Op, place Where, int A, int B, int C>
struct step {};
template <leaf_kind What, place Where, std::uint64_t Bits>
struct leaf {};
/// A step whose value is stored; late: in the last sweep, because its destination is also read.
template <int Step, bool Late>
struct output {};
template <class... T>
struct list {};

struct copy_op {};

namespace detail {

inline constexpr int most_steps = plan::max_steps + 2;

struct step_facts {
  place where;
  bool reduces;
  int operand[3];
};
struct leaf_facts {
  leaf_kind what;
  place where;
};
struct output_facts {
  int step;
  bool late;
};

template <class Op>
inline constexpr bool is_reduction = described<Op>.kind == family::reduction;
template <>
inline constexpr bool is_reduction<copy_op> = false;

template <class Op>
inline constexpr double identity_of = described<Op>.identity;
template <>
inline constexpr double identity_of<copy_op> = 0;

/// The sweeps of a group along its inner direction (the columns of a row, or the rows of a column): a reduction of sweep s is known in sweep s + 1.
struct schedule {
  int ready[most_steps];   ///< full values: first sweep that can compute it; the others: first sweep that can use it
  bool needed[most_steps][most_steps];
  int sweeps;
};

template <int Steps, int Outputs>
constexpr schedule schedule_of(step_facts const* steps, output_facts const* outputs, place inner) {
  schedule s{};
  for (int i = 0; i < Steps; ++i) {
    int r = 0;
    for (int o : steps[i].operand)
      if (o >= 0 && s.ready[o] > r) r = s.ready[o];
    bool const of_full = steps[i].reduces && steps[i].operand[0] >= 0 ? steps[steps[i].operand[0]].where == place::full : steps[i].reduces;
    s.ready[i] = steps[i].where == inner && of_full ? r + 1 : r;
  }
  int last = 0;
  for (int i = 0; i < Steps; ++i)
    if (steps[i].where == place::full && s.ready[i] > last) last = s.ready[i];
  s.sweeps = last + 1;
  auto const want = [&](int sweep, int root) {
    if (root >= 0 && steps[root].where == place::full) s.needed[sweep][root] = true;
  };
  for (int i = 0; i < Steps; ++i) {
    if (!steps[i].reduces) continue;
    int const from = steps[i].operand[0];
    if (from >= 0 && steps[from].where == place::full) want(s.ready[from], from);
  }
  for (int k = 0; k < Outputs; ++k)
    if (steps[outputs[k].step].where == place::full) want(outputs[k].late ? last : s.ready[outputs[k].step], outputs[k].step);
  for (int sweep = 0; sweep <= last; ++sweep)
    for (int i = Steps - 1; i >= 0; --i)
      if (s.needed[sweep][i])
        for (int o : steps[i].operand) want(sweep, o);
  return s;
}

}  // namespace detail

namespace detail {

/// Finding a step's type by its number: overload resolution among bases, one look-up instead of a recursion.
template <int I, class Step>
struct numbered_step {};
template <class I, class... Step>
struct numbered_steps;
template <int... I, class... Step>
struct numbered_steps<std::integer_sequence<int, I...>, Step...> : numbered_step<I, Step>... {};
template <int I, class Step>
Step find_step(numbered_step<I, Step> const*);

/// Some numbers out of a range, in order.
struct selection {
  int count;
  int at[most_steps];
};

}  // namespace detail

/// The facts of a group's type as constexpr tables. Inner: the place of what is fixed while the inner loop runs.
template <place Inner, class Steps, class Leaves, class Outputs>
struct nest_facts;
template <place Inner, class... Op, place... Where, int... A, int... B, int... C, leaf_kind... What, place... LeafWhere, std::uint64_t... Bits, int... Out,
          bool... Late>
struct nest_facts<Inner, list<step<Op, Where, A, B, C>...>, list<leaf<What, LeafWhere, Bits>...>, list<output<Out, Late>...>> {
  static constexpr int steps = sizeof...(Op), leaves = sizeof...(What), outputs = sizeof...(Out);
  static constexpr detail::step_facts step_at[sizeof...(Op)] = {{Where, detail::is_reduction<Op>, {A, B, C}}...};
  static constexpr detail::leaf_facts leaf_at[sizeof...(What) + 1] = {{What, LeafWhere}..., {}};
  static constexpr detail::output_facts output_at[sizeof...(Out) + 1] = {{Out, Late}..., {}};
  static constexpr detail::schedule plan = detail::schedule_of<steps, outputs>(step_at, output_at, Inner);
  static constexpr std::uint64_t bits_at[sizeof...(What) + 1] = {Bits..., 0};
  static constexpr double identity_at[sizeof...(Op)] = {detail::identity_of<Op>...};

  using numbered = detail::numbered_steps<std::make_integer_sequence<int, steps>, step<Op, Where, A, B, C>...>;
  template <int I>
  using step_type = decltype(detail::find_step<I>(static_cast<numbered const*>(nullptr)));

  /// Is leaf k one value (or one pack) for the whole inner loop?
  static constexpr bool held(int k) {
    place const w = leaf_at[k].where;
    return w == place::single || (Inner == place::row && w == place::row && leaf_at[k].what == leaf_kind::memory) || (Inner == place::column && w == place::column);
  }
  static constexpr bool is_memory(int k, place where) { return leaf_at[k].what == leaf_kind::memory && leaf_at[k].where == where; }
  /// Which output stores step i, or -1.
  static constexpr int output_of(int i) {
    for (int k = 0; k < outputs; ++k)
      if (output_at[k].step == i) return k;
    return -1;
  }
  static constexpr bool stores(int s, int i) {
    int const k = output_of(i);
    return k >= 0 && step_at[i].where == place::full && (output_at[k].late ? plan.sweeps - 1 : plan.ready[i]) == s;
  }
  /// Is step i a reduction that sweep s feeds with full values?
  static constexpr bool reduces(int s, int i) {
    if (!step_at[i].reduces) return false;
    int const from = step_at[i].operand[0];
    if (from < 0) return s == 0;
    return step_at[from].where == place::full && plan.ready[from] == s;
  }
  /// Does step i reduce values that are fixed along the inner loop?
  static constexpr bool reduces_lines(int i) {
    int const from = step_at[i].operand[0];
    return step_at[i].reduces && (from >= 0 ? step_at[from].where : leaf_at[-1 - from].where) == Inner;
  }
  static constexpr detail::selection computed(int s) {
    detail::selection r{};
    for (int i = 0; i < steps; ++i)
      if (plan.needed[s][i]) r.at[r.count++] = i;
    return r;
  }
  static constexpr detail::selection reduced(int s) {
    detail::selection r{};
    for (int i = 0; i < steps; ++i)
      if (reduces(s, i)) r.at[r.count++] = i;
    return r;
  }
  static constexpr detail::selection stored(int s) {
    detail::selection r{};
    for (int i = 0; i < steps; ++i)
      if (stores(s, i)) r.at[r.count++] = i;
    return r;
  }
  /// What becomes known of a line after sweep s (s = -1: before the first): numbers of a row, or packs of a block of columns.
  static constexpr detail::selection known_after(int s) {
    detail::selection r{};
    for (int i = 0; i < steps; ++i)
      if ((step_at[i].where == Inner || (step_at[i].where == place::single && reduces_lines(i))) && plan.ready[i] == s + 1) r.at[r.count++] = i;
    return r;
  }
  static constexpr detail::selection at_place(place where, bool with_reductions) {
    detail::selection r{};
    for (int i = 0; i < steps; ++i)
      if (step_at[i].where == where && (with_reductions || !step_at[i].reduces)) r.at[r.count++] = i;
    return r;
  }
  static constexpr detail::selection reductions() {
    detail::selection r{};
    for (int i = 0; i < steps; ++i)
      if (step_at[i].reduces) r.at[r.count++] = i;
    return r;
  }
  static constexpr bool works_in(int s) { return computed(s).count + reduced(s).count + stored(s).count > 0; }
  /// Vector operations of sweep s, which bounds how far the loop is unrolled.
  static constexpr int work(int s) { return computed(s).count + reduced(s).count; }
};

namespace detail {

/// For parameters that an empty expansion leaves unread.
template <class... X>
ESPALIER_INLINE void unused(X const&...) {}

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

constexpr int unroll(int vectors, int work) {
  int const most = work <= 2 ? 4 : 1;  // enough chains for a bare sum; more work hides its own latency, and unrolled lanes cost the compiler
  for (int u = most; u > 1; --u)
    if (vectors % u == 0) return u;
  return 1;
}

}  // namespace detail

template <class Selection, class I>
struct chosen;
template <class Selection, std::size_t... K>
struct chosen<Selection, std::index_sequence<K...>> {
  using type = std::integer_sequence<int, Selection::value.at[K]...>;
};
/// A selection as a type: Selection::value is a constexpr selection.
template <class Selection>
using chosen_steps = typename chosen<Selection, std::make_index_sequence<static_cast<std::size_t>(Selection::value.count)>>::type;

/// What both directions of a fused group share: the lanes of one sweep. `t` holds the full values of these lanes; `lines` and `held` hold what is fixed
/// while the inner loop runs: numbers where it runs along a row, packs where it runs down some columns.
template <place Inner, class T, class Arch, class Steps, class Leaves, class Outputs>
struct nest {
  using V = pack<T, Arch>;
  using Line = std::conditional_t<Inner == place::row, T, V>;
  using facts = nest_facts<Inner, Steps, Leaves, Outputs>;
  static constexpr int steps = facts::steps, leaves = facts::leaves, width = V::size;
  using leaf_numbers = std::make_integer_sequence<int, leaves>;

  template <int S>
  struct computed {
    static constexpr auto value = facts::computed(S);
  };
  template <int S>
  struct reduced {
    static constexpr auto value = facts::reduced(S);
  };
  template <int S>
  struct stored {
    static constexpr auto value = facts::stored(S);
  };
  template <int S>
  struct known_after {
    static constexpr auto value = facts::known_after(S);
  };
  template <place Where, bool WithReductions = true>
  struct at_place {
    static constexpr auto value = facts::at_place(Where, WithReductions);
  };
  struct reductions {
    static constexpr auto value = facts::reductions();
  };

  template <int I>
  static constexpr T identity = static_cast<T>(facts::identity_at[I]);

  /// Operand X of a full step, in the Count lanes that start at column j. t is not const: without optimisation g++ warns of a const pointer to what is not
  /// computed yet.
  template <int X, int Count>
  static ESPALIER_INLINE V read(T const* const* in, Line const* lines, Line const* held, V* t, int j) {
    if constexpr (X >= 0) {
      if constexpr (facts::step_at[X].where == place::full) return t[X];
      else return V(lines[X]);
    } else {
      constexpr int k = -1 - X;
      if constexpr (facts::leaf_at[k].what == leaf_kind::constant) return V(static_cast<T>(std::bit_cast<double>(facts::bits_at[k])));
      else if constexpr (facts::held(k)) return V(held[k]);
      else if constexpr (facts::leaf_at[k].what == leaf_kind::column_index) return V::iota(static_cast<T>(j));
      else if constexpr (facts::leaf_at[k].where == place::row) return V(*in[k]);
      else return V::template load_first<Count>(in[k] + j);
    }
  }
  template <int Count, class Op, place W, int A, int B, int C>
  static ESPALIER_INLINE V value(step<Op, W, A, B, C>, T const* const* in, Line const* lines, Line const* held, V* t, int j) {
    if constexpr (std::is_same_v<Op, copy_op>) return read<A, Count>(in, lines, held, t, j);
    else if constexpr (rule<Op>::arity == 1) return rule<Op>::apply(read<A, Count>(in, lines, held, t, j));
    else if constexpr (rule<Op>::arity == 2) return rule<Op>::apply(read<A, Count>(in, lines, held, t, j), read<B, Count>(in, lines, held, t, j));
    else return rule<Op>::apply(read<A, Count>(in, lines, held, t, j), read<B, Count>(in, lines, held, t, j), read<C, Count>(in, lines, held, t, j));
  }
  template <int Count, int I, class Op, place W, int A, int B, int C>
  static ESPALIER_INLINE void reduce(step<Op, W, A, B, C>, T const* const* in, T* const* out, Line const* lines, Line const* held, V* t, V* sum, V* total,
                                     int j) {
    V x = read<A, Count>(in, lines, held, t, j);
    if constexpr (Inner == place::row && W == place::column) {
      T* const at = out[facts::output_of(I)] + j;
      rule<Op>::combine(V::template load_first<Count>(at), x).template store_first<Count>(at);
    } else {
      if constexpr (Count < width && W != place::column) x = select(V::template first_lanes<Count>(), x, V(identity<I>));
      V& s = W == Inner ? sum[I] : total[I];
      s = rule<Op>::combine(s, x);
    }
  }
  template <int Count, int... Computed, int... Reduced, int... Stored>
  static ESPALIER_INLINE void lane(T const* const* in, T* const* out, Line const* lines, Line const* held, V* sum, V* total, int j,
                                   std::integer_sequence<int, Computed...>, std::integer_sequence<int, Reduced...>, std::integer_sequence<int, Stored...>) {
    V t[static_cast<std::size_t>(steps)];
    ((t[Computed] = value<Count>(typename facts::template step_type<Computed>{}, in, lines, held, t, j)), ...);
    (reduce<Count, Reduced>(typename facts::template step_type<Reduced>{}, in, out, lines, held, t, sum, total, j), ...);
    detail::unused(in, out, lines, held, sum, total, j);
    (t[Stored].template store_first<Count>(out[facts::output_of(Stored)] + j), ...);
  }
  template <int... I>
  static ESPALIER_INLINE void clear(V* sum, std::integer_sequence<int, I...>) {
    ((sum[I] = V(identity<I>)), ...);
    detail::unused(sum);
  }

  /// Operand X of a value that is fixed along the inner loop, or of a single number.
  template <int X, class N>
  static ESPALIER_INLINE N fixed(N const* values, N const* held) {
    if constexpr (X >= 0) return values[X];
    else if constexpr (facts::leaf_at[-1 - X].what == leaf_kind::constant) return N(static_cast<T>(std::bit_cast<double>(facts::bits_at[-1 - X])));
    else return held[-1 - X];
  }
  template <class N, class Op, place W, int A, int B, int C>
  static ESPALIER_INLINE N fixed_value(step<Op, W, A, B, C>, N const* values, N const* held) {
    if constexpr (std::is_same_v<Op, copy_op>) return fixed<A>(values, held);
    else if constexpr (rule<Op>::arity == 1) return rule<Op>::apply(fixed<A>(values, held));
    else if constexpr (rule<Op>::arity == 2) return rule<Op>::apply(fixed<A>(values, held), fixed<B>(values, held));
    else return rule<Op>::apply(fixed<A>(values, held), fixed<B>(values, held), fixed<C>(values, held));
  }
  /// Numbers of the whole group, when everything else is done.
  template <int I, class Op, place W, int A, int B, int C>
  static ESPALIER_INLINE void finish_single(step<Op, W, A, B, C> s, T* const* out, T* singles, V const* total, T const* held) {
    if constexpr (!facts::step_at[I].reduces) singles[I] = fixed_value<T>(s, singles, held);
    else if constexpr (Inner == place::column || !facts::reduces_lines(I)) singles[I] = detail::fold_pack<Op>(total[I]);
    constexpr int k = facts::output_of(I);
    if constexpr (k >= 0) out[k][0] = singles[I];
  }
  template <int... I>
  static ESPALIER_INLINE void finish_singles(T* const* out, T* singles, V const* total, T const* held, std::integer_sequence<int, I...>) {
    (finish_single<I>(typename facts::template step_type<I>{}, out, singles, total, held), ...);
    detail::unused(out, singles, total, held);
  }
  template <int K>
  static ESPALIER_INLINE T single_leaf(T const* const* base) {
    if constexpr (facts::is_memory(K, place::single)) return base[K][0];
    else return T(0);
  }
};

}  // namespace espalier::on_cpu
