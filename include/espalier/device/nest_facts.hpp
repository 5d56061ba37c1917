// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../operation/rule.hpp"
#include "../plan/lower.hpp"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
/// A fused group as a type, and what its loops must know about it on any device: which steps run in which sweep over the data.
namespace espalier::fused {

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
static_assert(most_steps <= 64);

struct step_facts {
  place where;
  bool reduces;
  bool rough;  ///< a reduction that a few elements in memory may stand for
  bool costly;
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

/// May a few elements in memory stand for a reduction?
template <class Op>
inline constexpr bool is_rough = false;
template <class Op>
  requires requires { rule<Op>::roughly; }
inline constexpr bool is_rough<Op> = rule<Op>::roughly;

/// Is a value of Op worth a store and a load where it is read again?
template <class Op>
inline constexpr bool is_costly = false;
template <class Op>
  requires requires { rule<Op>::costly; }
inline constexpr bool is_costly<Op> = rule<Op>::costly;

/// Operands that an op does not have are neither steps nor leaves.
inline constexpr int absent = -1 - 2 * most_steps;
template <class Op>
constexpr int arity_of() {
  if constexpr (std::is_same_v<Op, copy_op> || is_reduction<Op>) return 1;
  else return rule<Op>::arity;
}

template <class Op>
inline constexpr double identity_of = described<Op>.identity;
template <>
inline constexpr double identity_of<copy_op> = 0;

/// The sweeps of a group along its inner direction (the columns of a row, or the rows of a column): a reduction of sweep s is known in sweep s + 1.
struct schedule {
  int ready[most_steps];   ///< full values: first sweep that can compute it; the others: first sweep that can use it
  int fed[most_steps];     ///< reductions of full values: the sweep that feeds them
  int kept[most_steps];    ///< costly values that a later sweep reads again: 1 + the output or spare row where they lie meanwhile, else 0
  int first[most_steps];   ///< kept values: the sweep that computes them
  std::uint64_t needed[most_steps];  ///< full values by sweep, a bit for each
  int sweeps, spare;       ///< spare: rows that kept values need besides the outputs
};

template <int Steps, int Outputs>
class scheduler {
 public:
  /// Spare: how many rows of values there is room for besides the outputs; -1: nothing is kept. Sums over rows wait for the last sweep, where several rows can share them.
  constexpr scheduler(step_facts const* steps, leaf_facts const* leaves, output_facts const* outputs, place inner, int spare)
      : steps_{steps}, leaves_{leaves}, outputs_{outputs}, inner_{inner}, room_{spare} {}

  constexpr schedule run() {
    for (int i = 0; i < Steps; ++i) find_ready(i);
    int last = 0;
    for (int i = 0; i < Steps; ++i)
      if (steps_[i].where == place::full && s_.ready[i] > last) last = s_.ready[i];
    s_.sweeps = last + 1;
    for (int i = 0; i < Steps; ++i) {
      if (!steps_[i].reduces) continue;
      int const from = steps_[i].operand[0];
      s_.fed[i] = -1;
      if (taken_first(i)) continue;
      s_.fed[i] = from >= 0 ? s_.ready[from] : 0;
      if (inner_ == place::row && steps_[i].where == place::column) s_.fed[i] = last;
      if (full(from)) want(s_.fed[i], from);
    }
    for (int k = 0; k < Outputs; ++k) want(stored_in(k), outputs_[k].step);
    for (int sweep = 0; sweep <= last; ++sweep)
      for (int i = Steps - 1; i >= 0; --i)
        if ((s_.needed[sweep] >> i & 1u) && !comes_back(sweep, i))
          for (int o : steps_[i].operand) want(sweep, o);
    return s_;
  }

 private:
  /// What lies in memory is there before the first sweep.
  constexpr bool taken_first(int i) const {
    return steps_[i].rough && steps_[i].where == inner_ && steps_[i].operand[0] < 0 && leaves_[-1 - steps_[i].operand[0]].what == leaf_kind::memory && full(steps_[i].operand[0]);
  }
  constexpr bool full(int from) const { return (from >= 0 ? steps_[from].where : leaves_[-1 - from].where) == place::full; }
  constexpr void find_ready(int i) {
    int r = 0;
    for (int o : steps_[i].operand)
      if (o >= 0 && s_.ready[o] > r) r = s_.ready[o];
    bool const of_full = steps_[i].reduces && full(steps_[i].operand[0]);
    s_.ready[i] = taken_first(i) ? 0 : steps_[i].where == inner_ && (of_full || (steps_[i].reduces && steps_[i].operand[0] < 0)) ? r + 1 : r;
  }
  constexpr int stored_in(int k) const { return outputs_[k].late ? s_.sweeps - 1 : s_.ready[outputs_[k].step]; }
  constexpr void want(int sweep, int root) {
    if (root >= 0 && steps_[root].where == place::full) s_.needed[sweep] |= std::uint64_t{1} << root;
  }
  /// Is the value of step i read back in this sweep instead of computed again?
  constexpr bool comes_back(int sweep, int i) {
    if (!steps_[i].costly || room_ < 0) return false;
    if (!(met_ >> i & 1u)) {
      met_ |= std::uint64_t{1} << i;
      s_.first[i] = sweep;
      return false;
    }
    if (s_.kept[i] == 0) s_.kept[i] = room_for(i);
    return s_.kept[i] != 0;
  }
  /// Its own place where it is stored at once, the place of what the last sweep stores, or a spare row.
  constexpr int room_for(int i) {
    for (int k = 0; k < Outputs; ++k)
      if (outputs_[k].step == i && stored_in(k) == s_.first[i]) return 1 + k;
    for (int k = 0; k < Outputs; ++k) {
      if ((taken_ >> k & 1u) || outputs_[k].late || steps_[outputs_[k].step].where != place::full || stored_in(k) + 1 != s_.sweeps) continue;
      taken_ |= std::uint64_t{1} << k;
      return 1 + k;
    }
    return s_.spare < room_ ? 1 + Outputs + s_.spare++ : 0;
  }

  step_facts const* steps_;
  leaf_facts const* leaves_;
  output_facts const* outputs_;
  place inner_;
  int room_;
  schedule s_{};
  std::uint64_t met_ = 0, taken_ = 0;
};

/// Finding a step's type by its number: overload resolution among bases, one look-up instead of a recursion.
template <int I, class Step>
struct numbered_step {};
template <class I, class... Step>
struct numbered_steps;
template <int... I, class... Step>
struct numbered_steps<std::integer_sequence<int, I...>, Step...> : numbered_step<I, Step>... {};
template <int I, class Step>
Step find_step(numbered_step<I, Step> const*);

/// Sets of steps or leaves are bits: compilers take a few operations for a set, where they would take many for each of its members; and a function that is
/// given a set as a template argument is the same one for all groups that have this set.
using bits = std::uint64_t;
constexpr bits bit(int i) { return bits{1} << i; }
constexpr int count(bits set) { return __builtin_popcountll(set); }
constexpr bool has(bits set, int i) { return set >> i & 1u; }
/// Member number k, in rising order.
constexpr int member(bits set, int k) {
  for (; k > 0; --k) set &= set - 1;
  return __builtin_ctzll(set);
}
/// What steps and leaves are, as sets.
struct nest_sets {
  bits at[5], reductions, results;                                      ///< at: by place
  bits reduced[most_steps], stored[most_steps], known[most_steps + 1];  ///< by sweep; known: by the sweep after which it is known, from -1 on
  bits memory[5], constants, indices;                                   ///< leaves; memory: by place
  int output[most_steps];                                               ///< 1 + the output that stores a step, or 0
};

}  // namespace detail

/// The facts of a group's type as constexpr tables. Inner: the place of what is fixed while the inner loop runs.
/// Spare: rows of memory beside the outputs that costly values may wait in; -1: none waits.
template <place Inner, int Spare, class Steps, class Leaves, class Outputs>
struct nest_facts;
template <place Inner, int Spare, class... Op, place... Where, int... A, int... B, int... C, leaf_kind... What, place... LeafWhere, std::uint64_t... Bits, int... Out,
          bool... Late>
struct nest_facts<Inner, Spare, list<step<Op, Where, A, B, C>...>, list<leaf<What, LeafWhere, Bits>...>, list<output<Out, Late>...>> {
  static constexpr int steps = sizeof...(Op), leaves = sizeof...(What), outputs = sizeof...(Out);
  static constexpr detail::step_facts step_at[sizeof...(Op)] = {{Where, detail::is_reduction<Op>, detail::is_rough<Op>, detail::is_costly<Op>,
                                                              {A, detail::arity_of<Op>() > 1 ? B : detail::absent, detail::arity_of<Op>() > 2 ? C : detail::absent}}...};
  static constexpr detail::leaf_facts leaf_at[sizeof...(What) + 1] = {{What, LeafWhere}..., {}};
  static constexpr detail::output_facts output_at[sizeof...(Out) + 1] = {{Out, Late}..., {}};
  static constexpr detail::schedule plan = detail::scheduler<steps, outputs>{step_at, leaf_at, output_at, Inner, Spare}.run();
  static constexpr std::uint64_t bits_at[sizeof...(What) + 1] = {Bits..., 0};
  static constexpr double identity_at[sizeof...(Op)] = {detail::identity_of<Op>...};

  using numbered = detail::numbered_steps<std::make_integer_sequence<int, steps>, step<Op, Where, A, B, C>...>;
  template <int I>
  using step_type = decltype(detail::find_step<I>(static_cast<numbered const*>(nullptr)));

  static constexpr detail::nest_sets sets = [] {
    using detail::bit;
    detail::nest_sets r{};
    for (int k = outputs - 1; k >= 0; --k) {
      r.output[output_at[k].step] = 1 + k;
      r.results |= bit(output_at[k].step);
    }
    for (int i = 0; i < steps; ++i) {
      detail::step_facts const& s = step_at[i];
      int const from = s.operand[0], k = r.output[i] - 1;
      bool const of_lines = s.reduces && (from >= 0 ? step_at[from].where : leaf_at[-1 - from].where) == Inner;
      r.at[static_cast<int>(s.where)] |= bit(i);
      if (s.reduces) r.reductions |= bit(i);
      if (s.reduces && plan.fed[i] >= 0 && (from < 0 || step_at[from].where == place::full)) r.reduced[plan.fed[i]] |= bit(i);
      if (k >= 0 && s.where == place::full) r.stored[output_at[k].late ? plan.sweeps - 1 : plan.ready[i]] |= bit(i);
      if (s.where == Inner || (s.where == place::single && of_lines)) r.known[plan.ready[i]] |= bit(i);
    }
    for (int k = 0; k < leaves; ++k) {
      leaf_kind const what = leaf_at[k].what;
      if (what == leaf_kind::constant) r.constants |= bit(k);
      else if (what == leaf_kind::column_index) r.indices |= bit(k);
      else if (what != leaf_kind::draw) r.memory[static_cast<int>(leaf_at[k].where)] |= bit(k);
    }
    return r;
  }();
  static constexpr detail::bits steps_at(place where) { return sets.at[static_cast<int>(where)]; }

  /// Is leaf k one value (or one pack) for the whole inner loop?
  static constexpr bool held(int k) {
    place const w = leaf_at[k].where;
    return w == place::single || (Inner == place::row && w == place::row && is_memory(k, place::row)) || (Inner == place::column && w == place::column);
  }
  static constexpr bool is_memory(int k, place where) { return detail::has(memory_at(where), k); }
  /// Which output stores step i, or -1.
  static constexpr int output_of(int i) { return sets.output[i] - 1; }
  static constexpr bool stores(int s, int i) { return sets.stored[s] >> i & 1u; }
  /// Is step i taken from a few elements of a leaf before the first sweep?
  static constexpr bool taken_first(int i) { return step_at[i].rough && step_at[i].reduces && plan.fed[i] < 0; }
  /// Is step i a reduction that sweep s feeds with full values?
  static constexpr bool reduces(int s, int i) { return sets.reduced[s] >> i & 1u; }
  /// Does sweep s take step i back from memory, or leave it there for a later sweep?
  static constexpr bool comes_back(int s, int i) { return plan.kept[i] != 0 && plan.first[i] < s; }
  static constexpr bool leaves_behind(int s, int i) { return plan.kept[i] != 0 && plan.first[i] == s && !(plan.kept[i] <= outputs && output_at[plan.kept[i] - 1].step == i); }
  /// Does step i reduce values that are fixed along the inner loop?
  static constexpr bool reduces_lines(int i) {
    int const from = step_at[i].operand[0];
    return step_at[i].reduces && (from >= 0 ? step_at[from].where : leaf_at[-1 - from].where) == Inner;
  }
  static constexpr detail::bits computed(int s) { return plan.needed[s]; }
  static constexpr detail::bits reduced(int s) { return sets.reduced[s]; }
  static constexpr detail::bits stored(int s) { return sets.stored[s]; }
  static constexpr detail::bits left_behind(int s) {
    detail::bits r = 0;
    for (int i = 0; i < steps; ++i)
      if (detail::has(plan.needed[s], i) && leaves_behind(s, i)) r |= detail::bit(i);
    return r;
  }
  static constexpr detail::bits column_sums() { return sets.reductions & steps_at(place::column); }
  static constexpr int column_sums_of(int s) { return detail::count(sets.reduced[s] & steps_at(place::column)); }
  static constexpr detail::bits single_sums() { return sets.reductions & steps_at(place::single); }
  /// Is there a reduction along rows?
  static constexpr bool reduces_rows() { return (sets.reductions & steps_at(place::row)) != 0; }
  /// Outputs, and leaves and outputs, that have an element for each of the group's.
  static constexpr int full_results() {
    int n = 0;
    for (int k = 0; k < outputs; ++k) n += step_at[output_at[k].step].where == place::full;
    return n;
  }
  static constexpr int full_operands() {
    int n = full_results();
    for (int k = 0; k < leaves; ++k) n += is_memory(k, place::full);
    return n;
  }
  /// What becomes known of a line after sweep s (s = -1: before the first): numbers of a row, or packs of a block of columns.
  static constexpr detail::bits known_after(int s) { return sets.known[s + 1]; }
  /// Steps at a place that are reductions, or not; and those that are results.
  static constexpr detail::bits at_place_that(place where, bool reduces) { return steps_at(where) & (reduces ? sets.reductions : ~sets.reductions); }
  static constexpr detail::bits results_at(place where) { return steps_at(where) & sets.results; }
  /// Leaves in memory at a place.
  static constexpr detail::bits memory_at(place where) { return sets.memory[static_cast<int>(where)]; }
  /// Values that are fixed along the inner loop and that sweep s reads.
  static constexpr detail::bits lines_read(int s) {
    detail::bits read = 0;
    for (detail::bits left = plan.needed[s] | sets.reduced[s]; left != 0; left &= left - 1) {
      int const i = __builtin_ctzll(left);
      if (!reduces(s, i) && comes_back(s, i)) continue;
      for (int o : step_at[i].operand)
        if (o >= 0) read |= detail::bit(o);
    }
    return read & ~steps_at(place::full);
  }
  static constexpr bool works_in(int s) { return (plan.needed[s] | sets.reduced[s] | sets.stored[s]) != 0; }
  /// Vector operations of sweep s, which bounds how far the loop is unrolled; a costly one counts for many.
  static constexpr int work(int s) {
    int w = __builtin_popcountll(sets.reduced[s]);
    for (detail::bits left = plan.needed[s]; left != 0; left &= left - 1) {
      int const i = __builtin_ctzll(left);
      w += step_at[i].costly && !comes_back(s, i) ? 8 : 1;
    }
    return w;
  }
};

/// Steps with their numbers, as one type: a loop over them is an expansion of one function, and no function is made for each.
template <class Facts, class Numbers>
struct numbered_list;
template <class Facts, int... I>
struct numbered_list<Facts, std::integer_sequence<int, I...>> {
  using type = list<detail::numbered_step<I, typename Facts::template step_type<I>>...>;
};

template <detail::bits Set, class K>
struct chosen;
template <detail::bits Set, int... K>
struct chosen<Set, std::integer_sequence<int, K...>> {
  using type = std::integer_sequence<int, detail::member(Set, K)...>;
};
/// A set's members as a type.
template <detail::bits Set>
using chosen_steps = typename chosen<Set, std::make_integer_sequence<int, detail::count(Set)>>::type;
/// The same with the steps themselves.
template <class Facts, detail::bits Set>
using steps_in = typename numbered_list<Facts, chosen_steps<Set>>::type;

}  // namespace espalier::fused
#pragma GCC diagnostic pop
