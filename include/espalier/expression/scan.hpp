// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "structure.hpp"

/// Loops over the first axis of sequences.
namespace espalier {

/// The direction of a scan: from the first position of the sequences to the last, or from the last to the first.
enum class direction { forwards, backwards };

/// Named relation: the state or a sequence of a loop is a value of a body.
template <class... X>
struct loop_in_a_body {
  using is_of_a_call = void;
  ESPALIER_READS("got {...}")
  static constexpr bool agree = (Traced<X> || ...);
};
/// Named relation: the state and the sequences of a loop are values, or structs of values.
template <class X>
struct loop_operands {
  using is_of_a_call = void;
  ESPALIER_READS("got {}; expected values, such as zeros<shape<>>(x) for a number; the step comes first")
  static constexpr bool agree = Expression<X>;
};
/// Named relation: the step of a loop is a function of the state, and in a scan of one position of the sequences.
template <bool Called, class... X>
struct step_takes {
  using is_of_a_call = void;
  ESPALIER_READS("the step is called with {...}")
  static constexpr bool agree = Called;
};
/// Named relation: the sequences of a scan have a first axis of one extent, the number of steps.
template <class... Shapes>
struct sequence_lengths {
  using is_of_a_call = void;
  ESPALIER_READS("got {...}")
  static constexpr bool agree = false;
};
template <class First, class... Rest>
struct sequence_lengths<First, Rest...> {
  using is_of_a_call = void;
  ESPALIER_READS("got {}, {...}")
  static constexpr bool agree = [] {
    if constexpr (First::rank > 0 && ((Rest::rank > 0) && ...))
      return ((First::value.at[0] == Rest::value.at[0]) && ...);
    else return false;
  }();
};
/// Named relation: repeat<N> has at least one step. (The number of steps fits into the attribute of a node,
/// graph/attribute.hpp.)
template <int N>
struct repeated_steps {
  using is_of_a_call = void;
  ESPALIER_READS("repeat<{}>: the number of steps is 1 to 1073741823")
  static constexpr bool agree = N > 0 && N < 1 << 30;
};
/// Named relation: the count of a loop is one number, which is a value of the body. (Whether it is an argument of
/// integers is known when the program is traced.) Count: the shape of a value; of anything else its type.
template <class Count>
struct step_count {
  using is_of_a_call = void;
  ESPALIER_READS("the count is {}; expected an argument of one std::int32_t, of shape<> or shape<1>")
  static constexpr bool agree = false;
};
template <int... Extents>
  requires(shape<Extents...>::size == 1)
struct step_count<shape<Extents...>> {
  using is_of_a_call = void;
  static constexpr bool agree = true;
};
/// Named relation: a loop with a count has few enough steps for a float to number them.
template <int N>
struct counted_steps {
  using is_of_a_call = void;
  ESPALIER_READS("a loop of {} steps; a loop with a count has at most 16777216")
  static constexpr bool agree = N <= 1 << 24;
};
/// The shape of a value in an error; of anything else its type.
template <class X>
struct shape_if_value {
  using type = X;
};
template <class X>
  requires requires { typename X::is_traced_value; }
struct shape_if_value<X> {
  using type = typename X::shape_type;
};
/// Named relation: the step of a scan returns the next state and an output.
template <class Result>
struct step_returns_state_and_output {
  using is_of_a_call = void;
  ESPALIER_READS("the step returns {}")
  static constexpr bool agree = false;
};
/// Named relation: the next state and the outputs that a step returns are values.
template <class X>
struct step_returns_values {
  using is_of_a_call = void;
  ESPALIER_READS("the step returns {}; expected values, such as zeros<shape<>>(x) for a number")
  static constexpr bool agree = Expression<X>;
};
/// Named relation: an output of a step has room for the axis of steps.
template <class... Shapes>
struct output_rank {
  using is_of_a_call = void;
  ESPALIER_READS("the step returns {...}")
  static constexpr bool agree = ((Shapes::rank < max_rank) && ...);
};
/// Named relation: the next state has the members of the state.
template <class Next>
struct state_keeps_its_members {
  using is_of_a_call = void;
  ESPALIER_READS("the next state is {}")
  static constexpr bool agree = false;
};
/// Named relation: the step of a loop keeps the shape of its state.
template <class Next, class State>
struct state_keeps_its_shape {
  using is_of_a_call = void;
  ESPALIER_READS("the next state has shape {}, the state {}")
  static constexpr bool agree = std::is_same_v<Next, State>;
};

namespace tracing {
/// A loop whose step is being traced: its number, and the first node that belongs to it. The functions are defined in
/// tracing/trace.hpp.
struct loop_trace {
  int number, steps;
  bool backwards;
  int first;
  int count;  ///< the argument with the number of steps that it runs; 0: all
};
constexpr int trace_count(tracer& t, int id);
constexpr loop_trace begin_loop(tracer& t, int steps, bool backwards, int count);
constexpr int trace_slice(tracer& t, loop_trace const& l, int xs);
constexpr int trace_state(tracer& t, loop_trace const& l, int initial, int index);
constexpr void end_loop(tracer& t, loop_trace const& l, int const* states, int* next, int count, int* results,
                        int result_count);
}  // namespace tracing

namespace detail {

template <class S>
struct without_first_axis_of;
template <int N, int... Rest>
struct without_first_axis_of<shape<N, Rest...>> {
  using type = shape<Rest...>;
};
template <class S, int N>
struct with_first_axis_of;
template <int... Rest, int N>
struct with_first_axis_of<shape<Rest...>, N> {
  using type = shape<N, Rest...>;
};

/// The value in a loop of an operand X, whose shape may be another. Integers stay integers.
template <class X, class Like, class S = shape_of<X>>
using loop_value = traced<S, typename data_of<kept<X>>::type, typename observer_of<X, Like>::type>;

template <class Leaves>
struct lengths_of_leaves;
template <class... X>
struct lengths_of_leaves<member_types<X...>> {
  using type = sequence_lengths<shape_of<X>...>;
};
template <class Leaves>
struct first_leaf;
template <class First, class... X>
struct first_leaf<member_types<First, X...>> {
  using type = First;
};
template <class Leaves>
struct ranks_of_leaves;
template <class... X>
struct ranks_of_leaves<member_types<X...>> {
  using type = output_rank<shape_of<X>...>;
};
template <class Leaves, class StateLeaves>
struct states_keep;
template <class... N, class... S>
struct states_keep<member_types<N...>, member_types<S...>> {
  using type = typename first_fault<state_keeps_its_shape<shape_of<N>, shape_of<S>>...>::type;
};

template <class Leaves>
struct in_a_body_of_leaves;
template <class... X>
struct in_a_body_of_leaves<member_types<X...>> {
  using type = loop_in_a_body<X...>;
};
template <class... X>
using in_a_body = typename in_a_body_of_leaves<all_leaves_of<X...>>::type;

template <template <class> class Relation, class Leaves>
struct relation_of_leaves;
template <template <class> class Relation, class... X>
struct relation_of_leaves<Relation, member_types<X...>> : first_fault<Relation<X>...> {};
/// The fault of the state and the sequences of a loop, or `agreed`.
template <class... X>
using loop_operands_fault = typename relation_of_leaves<loop_operands, all_leaves_of<X...>>::type;
/// The fault of the next state and the outputs of a step, or `agreed`.
template <class... X>
using step_values_fault = typename relation_of_leaves<step_returns_values, all_leaves_of<X...>>::type;

template <class X>
constexpr tracing::tracer* tracer_of_any(X const& x) {
  if constexpr (Structure<X>) return tracer_in_structure(x);
  else return tracer_of(x);
}

}  // namespace detail

namespace detail {
/// What an invalid loop returns: a state with the members of the state, and outputs with those of Y.
template <class State, class Y = void, class Invalid>
constexpr auto invalid_loop(Invalid found) {
  return std::tuple{invalid_values<State>(found), invalid_values<Y>(found)};
}
/// The output of a step, if it returns one.
template <class Result>
struct output_of_step {
  using type = void;
};
template <class Result>
  requires requires { requires std::tuple_size<Result>::value == 2; }
struct output_of_step<Result> {
  using type = bare<std::tuple_element_t<1, Result>>;
};
/// The fault of what a step returns, or `agreed`.
template <class State, class Result>
constexpr auto find_step_fault() {
  if constexpr (is_invalid<Result>) {
    return Result{};
  } else if constexpr (!requires { requires std::tuple_size<Result>::value == 2; }) {
    return invalid<step_returns_state_and_output<typename shape_if_value<Result>::type>>{};
  } else {
    using Next = bare<std::tuple_element_t<0, Result>>;
    using Y = bare<std::tuple_element_t<1, Result>>;
    if constexpr (HoldsInvalid<Next> || HoldsInvalid<Y>) {
      return first_invalid_of<Next, Y>{};
    } else if constexpr (!step_values_fault<Next, Y>::agree) {
      return invalid<step_values_fault<Next, Y>>{};
    } else if constexpr (!same_structure<Next, State>) {
      return invalid<state_keeps_its_members<Next>>{};
    } else {
      using Kept = typename states_keep<leaves_of<Next>, leaves_of<State>>::type;
      using Ranks = typename ranks_of_leaves<leaves_of<Y>>::type;
      if constexpr (!Kept::agree) return invalid<Kept>{};
      else if constexpr (!Ranks::agree) return invalid<Ranks>{};
      else return agreed{};
    }
  }
}

template <class V>
constexpr V with_id(tracing::tracer* owner, V v, int id) {
  v.tracer = owner;
  v.id = id;
  return v;
}
/// The value in a loop of what a step returns, or of an operand of the loop.
template <class Like, class X>
constexpr auto as_loop_value(tracing::tracer* t, X const& leaf) {
  using V = loop_value<bare<X>, Like>;
  return t == nullptr ? V{} : as_value<V>(*t, leaf);
}

/// Ends a loop with what its step returned. states: the nodes of its states.
template <int Steps, class Like, class State, class Result>
constexpr auto end_loop(tracing::tracer* t, tracing::loop_trace const& loop, int const* states, State const& outside,
                        Result const& result) {
  using Y = bare<std::tuple_element_t<1, Result>>;
  constexpr int count = static_cast<int>(leaf_count_of<State>), results = static_cast<int>(leaf_count_of<Y>);
  int next[static_cast<std::size_t>(count) + 1]{}, ys[static_cast<std::size_t>(results) + 1]{};
  if (t != nullptr) {
    int k = 0;
    (void)map_leaves(std::get<0>(result),
                     [&](auto const& leaf) { return next[k++] = as_loop_value<Like>(t, leaf).id; });
    k = 0;
    (void)map_leaves(std::get<1>(result), [&](auto const& leaf) { return ys[k++] = as_loop_value<Like>(t, leaf).id; });
    tracing::end_loop(*t, loop, states, next, count, ys, results);
  }
  int k = 0;
  auto const last = map_leaves(outside, [&](auto const& leaf) { return with_id(t, leaf, next[k++]); });
  k = 0;
  auto const all = map_leaves(std::get<1>(result), [&](auto const& leaf) {
    using L = bare<decltype(leaf)>;
    return with_id(t, loop_value<L, Like, typename with_first_axis_of<shape_of<L>, Steps>::type>{}, ys[k++]);
  });
  return std::tuple{last, all};
}

/// In the place of a count: the loop runs all steps.
struct all_steps {};
constexpr int trace_count(tracing::tracer*, all_steps) { return 0; }
template <class Count>
constexpr int trace_count(tracing::tracer* t, Count const& count) {
  return t == nullptr ? 0 : tracing::trace_count(*t, count.tracer == t ? count.id : 0);
}
/// The fault of a count, or `agreed`.
template <class Count, int Steps>
struct count_fault {
  using type = typename first_fault<step_count<typename shape_if_value<Count>::type>, counted_steps<Steps>>::type;
};
template <int Steps>
struct count_fault<all_steps, Steps> {
  using type = agreed;
};

/// The step of repeat as one of a scan.
template <class Step>
struct repeated_step {
  Step const& step;
  constexpr auto operator()(auto const& s, std::tuple<> const&) const {
    if constexpr (std::is_void_v<decltype(step(s))>) {
      return invalid<step_returns_values<decltype(step(s))>>{};
    } else {
      auto next = step(s);
      if constexpr (is_invalid<decltype(next)>) return next;
      else return std::tuple{next, std::tuple{}};
    }
  }
};
/// Whether the user's step takes what a loop calls it with.
template <class Step, class State, class Position>
struct step_call {
  using type = step_takes<std::is_invocable_v<Step const&, State const&, Position const&>,
                          typename shape_if_value<State>::type, typename shape_if_value<Position>::type>;
};
template <class Step, class State>
struct step_call<repeated_step<Step>, State, std::tuple<>> {
  using type = step_takes<std::is_invocable_v<Step const&, State const&>, typename shape_if_value<State>::type>;
};
template <class Step, class State, class Position>
using called_step = typename step_call<Step, State, Position>::type;

/// The loop of scan and repeat.
template <int Steps, bool Backwards, class Like, class Step, class State, class Xs, class Count>
constexpr auto trace_loop(tracing::tracer* t, Step const& step, State const& state, Xs const& xs, Count const& count) {
  auto const outside = map_leaves(state, [&](auto const& leaf) { return as_loop_value<Like>(t, leaf); });
  auto const sequences = map_leaves(xs, [&](auto const& leaf) { return as_loop_value<Like>(t, leaf); });
  int const steps = trace_count(t, count);
  tracing::loop_trace const loop =
      t != nullptr ? tracing::begin_loop(*t, Steps, Backwards, steps) : tracing::loop_trace{};
  int states[leaf_count_of<State> + 1]{};
  int k = 0;
  auto const inside = map_leaves(outside, [&](auto const& leaf) {
    if (t != nullptr) states[k] = tracing::trace_state(*t, loop, leaf.id, k);
    return with_id(t, leaf, states[k++]);
  });
  auto const position = map_leaves(sequences, [&](auto const& leaf) {
    using X = bare<decltype(leaf)>;
    using V = loop_value<X, Like, typename without_first_axis_of<shape_of<X>>::type>;
    return with_id(t, V{}, t == nullptr ? 0 : tracing::trace_slice(*t, loop, leaf.id));
  });
  using Called = called_step<Step, bare<decltype(inside)>, bare<decltype(position)>>;
  if constexpr (!Called::agree) {
    return invalid_loop<State>(invalid<Called>{});
  } else if constexpr (std::is_void_v<decltype(step(inside, position))>) {
    return invalid_loop<State>(invalid<step_returns_state_and_output<decltype(step(inside, position))>>{});
  } else {
    auto const result = step(inside, position);
    using Result = std::remove_const_t<decltype(result)>;
    using Fault = decltype(find_step_fault<bare<decltype(outside)>, Result>());
    if constexpr (!Fault::agree) return invalid_loop<State, typename output_of_step<Result>::type>(Fault{});
    else return end_loop<Steps, Like>(t, loop, states, outside, result);
  }
}

template <bool Backwards, class Step, class State, class Xs, class Count>
constexpr auto scan(Step const& step, State const& state, Xs const& xs, Count const& count) {
  using Leaves = leaves_of<Xs>;
  using Operands = loop_operands_fault<State, Xs>;
  using Inside =
      std::conditional_t<HoldsInvalid<State> || HoldsInvalid<Xs> || HoldsInvalid<Count>, agreed, in_a_body<State, Xs>>;
  static_assert(Inside::agree,
                ESPALIER_SENTENCE("scan(step, state, xs): the state or xs must be values of a body; call scan in a "
                                  "module's forward or in a function f, and f by compiled(f, x...) or grad(f)(x...)",
                                  Inside));
  if constexpr (HoldsInvalid<State> || HoldsInvalid<Xs> || HoldsInvalid<Count>) {
    return invalid_loop<State>(first_invalid_of<State, Xs, Count>{});
  } else if constexpr (!Inside::agree) {
    return invalid_loop<State>(invalid<already_reported>{});
  } else if constexpr (!Operands::agree) {
    return invalid_loop<State>(invalid<Operands>{});
  } else if constexpr (!lengths_of_leaves<Leaves>::type::agree) {
    return invalid_loop<State>(invalid<typename lengths_of_leaves<Leaves>::type>{});
  } else {
    using Like = typename first_leaf<Leaves>::type;
    constexpr int steps = shape_of<Like>::value.at[0];
    using Fault = typename count_fault<Count, steps>::type;
    if constexpr (!Fault::agree) {
      return invalid_loop<State>(invalid<Fault>{});
    } else {
      tracing::tracer* const owner = tracer_of_any(xs);
      return trace_loop<steps, Backwards, Like>(owner != nullptr ? owner : tracer_of_any(state), step, state, xs,
                                                count);
    }
  }
}

template <int N, class Step, class State, class Count>
constexpr auto repeat(Step const& step, State const& state, Count const& count) {
  using Inside = std::conditional_t<HoldsInvalid<State> || HoldsInvalid<Count>, agreed, in_a_body<State>>;
  static_assert(Inside::agree,
                ESPALIER_SENTENCE("repeat<N>(step, state): the state must be a value of a body; call repeat in a "
                                  "module's forward or in a function f, and f by compiled(f, x...) or grad(f)(x...)",
                                  Inside));
  using Fault =
      typename first_fault<repeated_steps<N>, loop_operands_fault<State>, typename count_fault<Count, N>::type>::type;
  if constexpr (HoldsInvalid<State>) {
    return state;
  } else if constexpr (HoldsInvalid<Count>) {
    return std::get<0>(invalid_loop<State>(first_invalid_of<Count>{}));
  } else if constexpr (!Inside::agree) {
    return invalid<already_reported>{};
  } else if constexpr (!Fault::agree) {
    return std::get<0>(invalid_loop<State>(invalid<Fault>{}));
  } else {
    repeated_step<Step> const with_output{step};
    using Like = typename first_leaf<leaves_of<State>>::type;
    auto const r = trace_loop<N, false, Like>(tracer_of_any(state), with_output, state, std::tuple<>{}, count);
    return std::get<0>(r);
  }
}
}  // namespace detail

/// scan(step, state, xs): a loop over the first axis of xs. step(state, x) gets the state and one position of xs; it
/// returns std::tuple{next state, y}. Returns std::tuple{last state, ys}, where ys has all y along a new first axis.
/// State, xs and y are values, or tuples and structs of values; y may be std::tuple{}. The step is traced once: code
/// and compile time do not depend on the number of steps.
///   auto [h, hs] = scan([&](auto state, auto x) {
///     auto const next = tanh(matmul(state, w) + x);
///     return std::tuple{next, next};
///   }, h0, matmul(xs, u));
/// What does not depend on the state is computed for all steps at once: products of x before the loop, products of y
/// behind it. Random numbers differ from step to step.
/// shape     state S, xs (N, X...) -> state S, ys (N, Y...)
/// errors    sequences of different lengths, a step that returns something else or changes the shape of the state, and
///           a step that updates a model do not compile; neither do operands that are no values of a body
/// saves     what the gradient of the step reads, for all steps; less with checkpoint(...) around a scan or in its step
/// gradient  a loop in the other direction; the gradient of a value that all steps share is one product or sum
/// source    jax.lax.scan
template <direction Direction = direction::forwards, class Step, class State, class Xs>
constexpr auto scan(Step const& step, State const& state, Xs const& xs) {
  return detail::scan<Direction == direction::backwards>(step, state, xs, detail::all_steps{});
}

/// scan(step, state, xs, count): the first `count` steps of scan(step, state, xs). The last state is that after `count`
/// steps, and ys are 0 behind them. backwards: from position count - 1 to 0. The loop and its gradient run `count`
/// steps; products outside of the loop are computed for all N positions.
/// shape     state S, xs (N, X...), count () or (1) of std::int32_t -> state S, ys (N, Y...)
/// range     0 <= count <= N <= 16777216
/// errors    index_error for a count outside 0..N, before anything is computed; a count that is no argument of the
///           program does not compile; otherwise as scan
/// saves     as scan
/// gradient  a loop of `count` steps in the other direction; 0 for xs behind them
template <direction Direction = direction::forwards, class Step, class State, class Xs, class Count>
constexpr auto scan(Step const& step, State const& state, Xs const& xs, Count const& count) {
  return detail::scan<Direction == direction::backwards>(step, state, xs, count);
}

/// repeat<N>(step, state): step(... step(step(state))), N times, as one loop.
/// shape     S -> S
/// errors    a step that changes the shape of the state, or updates a model, does not compile
/// saves     as scan
/// gradient  a loop in the other direction
/// source    jax.lax.fori_loop
template <int N, class Step, class State>
constexpr auto repeat(Step const& step, State const& state) {
  return detail::repeat<N>(step, state, detail::all_steps{});
}

/// repeat<N>(step, state, count): step(... step(state)), `count` times.
/// shape     state S, count () or (1) of std::int32_t -> S
/// range     0 <= count <= N <= 16777216
/// errors    index_error for a count outside 0..N, before anything is computed; a count that is no argument of the
///           program does not compile; otherwise as repeat
/// saves     as scan
/// gradient  a loop of `count` steps in the other direction
template <int N, class Step, class State, class Count>
constexpr auto repeat(Step const& step, State const& state, Count const& count) {
  return detail::repeat<N>(step, state, count);
}

}  // namespace espalier
#include "../base/diagnostics_pop.hpp"
