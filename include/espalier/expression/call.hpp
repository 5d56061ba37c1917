// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "../base/reported_once.hpp"
#include "node.hpp"
#include "structure.hpp"

namespace espalier {

/// A module applied to formulas of tensors. In a traced body there is no such node: the module's own body is traced
/// immediately.
template <class S, class M, class... X>
struct call;

template <class S, class M, class A>
struct call<S, M, A> {
  using shape_type = S;
  using is_expression = void;
  using element_type = element_of<A>;
  static constexpr bool eager = A::eager;
  M module;
  A a;
};

template <class S, class M, class A, class B>
struct call<S, M, A, B> {
  using shape_type = S;
  using is_expression = void;
  using element_type = element_of<A>;
  static constexpr bool eager = A::eager || B::eager;
  M module;
  A a;
  B b;
};

/// Named relation: the module has a forward that accepts arguments of these shapes.
template <class Module, class... Shapes>
struct has_forward {
  ESPALIER_READS("{} has no forward that accepts {...}")
  static constexpr bool agree = false;
};
/// Named relation: forward takes as many inputs as it got.
template <class Module, int Takes, int Got>
struct forward_takes {
  ESPALIER_READS("forward of {} takes {} inputs, got {}")
  static constexpr bool agree = Takes == Got;
};
/// Named relation: forward is const.
template <class Module>
struct forward_is_const {
  ESPALIER_READS("in {}")
  static constexpr bool agree = false;
};
/// Named relation: forward is generic, so that it accepts any operand.
template <class Module>
struct forward_is_generic {
  ESPALIER_READS("in {}")
  static constexpr bool agree = false;
};
/// Named relation: forward does not call its own module.
template <class Module>
struct forward_ends {
  ESPALIER_READS("in {}")
  static constexpr bool agree = false;
};
/// Named relation: every forward of a net can run at compile time.
template <class Net>
struct forward_is_constexpr {
  ESPALIER_READS("in {}")
  static constexpr bool agree = false;
};
/// Named relation: a module that defines takes_single_values gets no struct of values, and one that defines
/// takes_single_value_first none as its first operand. The layers of nn/ define one of them. A module of a user does
/// not, and may take structs.
template <class Module, int Values>
struct operand_is_one_value {
  ESPALIER_READS("{} takes one value, got {}; choose one by std::get<0>(y) or auto const [y, h] = ...")
  static constexpr bool agree = false;
};
/// Named relation: forward returns a formula of its operands.
template <class Module, class Result>
struct forward_returns {
  ESPALIER_READS("forward of {} returns {}")
  static constexpr bool agree = false;
};

template <class S, class M, class... X>
struct formula_reads<call<S, M, X...>> {
  static constexpr int tensors = (formula_reads<X>::tensors + ...), numbers = (formula_reads<X>::numbers + ...);
};

namespace detail {
template <class S, class M, class... X>
struct device_of_impl<call<S, M, X...>> : common_device<device_of<X>...> {};

/// Fallback overload, which is chosen if no forward of the module accepts the operands. Overloads are chosen before a
/// body is instantiated. A body that does not compile is therefore another case: the compiler has already reported its
/// error.
struct no_forward {};
struct with_a_forward {
  int forward;
};
template <class M>
struct with_another_forward : M, with_a_forward {};
template <class M>
concept LacksForward = requires {
  &with_another_forward<M>::forward;
};
template <class M, bool Lacks = LacksForward<M>>
struct forward_or_none {
  static no_forward forward(...);
};
template <class M>
struct forward_or_none<M, false> : M {
  using M::forward;
  static no_forward forward(...);
};

struct with_a_call {
  void operator()();
};
template <class F>
struct with_another_call : F, with_a_call {};
/// A class with call operators that others can derive from. If F has no call operator, with_another_call inherits a
/// single one, whose address can be taken.
template <class F>
concept HasCallOperator = std::is_class_v<F> && !std::is_final_v<F> && !requires {
  &with_another_call<F>::operator();
};

/// The type that forward returns. `type` is missing if its body does not compile, which is an error of its own. (It is
/// in a base class, because clang ignores an invalid base.)
template <class M, class... X>
struct result_of_forward
    : std::type_identity<decltype(std::declval<forward_or_none<M> const&>().forward(std::declval<X>()...))> {};

template <class M>
concept PlainForward = requires {
  &M::forward;
};  // only a function that is no template has an address
template <class Result>
inline constexpr bool is_formula = !std::is_void_v<Result> && !std::is_arithmetic_v<Result>;
/// True for a module with parameters, buffers or random streams: only a model stores their numbers.
template <class M>
inline constexpr bool has_numbers_of_its_own = false;
/// True if a module has plain numbers among its members (float alpha = 2;) or in a member's members. A program is built
/// from the type, so it would use the numbers of M{}.
template <class Types>
inline constexpr bool one_has_plain_numbers = false;
template <class M>
inline constexpr bool has_plain_numbers = is_arithmetic<M> || std::is_enum_v<M>;
template <class M>
  requires requires(M& module) { M::member_types_of(module); }
inline constexpr bool has_plain_numbers<M> = one_has_plain_numbers<decltype(M::member_types_of(std::declval<M&>()))>;
template <template <class...> class Types, class... Member>
inline constexpr bool one_has_plain_numbers<Types<Member...>> = (has_plain_numbers<bare<Member>> || ...);

/// A forward for each number of inputs. Beside a forward with `auto` for each input, a call is ambiguous. That is found
/// before a body is instantiated.
struct forward_of_any_inputs {
  struct none {};
  template <class A>
  no_forward forward(A, none = {}) const;
  template <class A, class B>
  no_forward forward(A, B, none = {}) const;
  template <class A, class B, class C>
  no_forward forward(A, B, C, none = {}) const;
  template <class A, class B, class C, class D>
  no_forward forward(A, B, C, D, none = {}) const;
  template <class A, class B, class C, class D, class E>
  no_forward forward(A, B, C, D, E, none = {}) const;
  template <class A, class B, class C, class D, class E, class F>
  no_forward forward(A, B, C, D, E, F, none = {}) const;
};
template <class M>
struct compared_forward : M, forward_of_any_inputs {
  using M::forward, forward_of_any_inputs::forward;
};
template <class M, class... X>
inline constexpr bool takes_inputs = !requires(compared_forward<M> const& module, X... x) {
  module.forward(static_cast<X&&>(x)...);
};
/// The number of inputs that the only forward of a module takes, if it is generic; otherwise 0.
template <class M, class X = invalid<already_reported>>
constexpr int inputs_of_forward() {
  bool const takes[]{false,
                     takes_inputs<M, X>,
                     takes_inputs<M, X, X>,
                     takes_inputs<M, X, X, X>,
                     takes_inputs<M, X, X, X, X>,
                     takes_inputs<M, X, X, X, X, X>,
                     takes_inputs<M, X, X, X, X, X, X>};
  int found = 0;
  for (int i = 1; i <= 6; ++i)
    if (takes[i]) found = found == 0 ? i : -1;
  return found > 0 ? found : 0;
}

/// What errors show for an operand: its shape, or the type of a struct.
template <class X>
struct shown_operand {
  using type = shape_of<X>;
};
template <Structure X>
struct shown_operand<X> {
  using type = X;
};
template <class M, class... X>
constexpr auto fault_of_missing_forward() {
  if constexpr (LacksForward<M>) return has_forward<M, typename shown_operand<X>::type...>{};
  else if constexpr (!std::is_same_v<decltype(std::declval<forward_or_none<M>&>().forward(std::declval<X>()...)),
                                     no_forward>)
    return forward_is_const<M>{};
  else if constexpr (PlainForward<M>) return forward_is_generic<M>{};
  else if constexpr (constexpr int takes = inputs_of_forward<M>(), got = static_cast<int>(sizeof...(X));
                     takes > 0 && takes != got)
    return forward_takes<M, takes, got>{};
  else return has_forward<M, typename shown_operand<X>::type...>{};
}
/// Reports a body that returns nothing, when machine code is generated: a program with another error does not get so
/// far.
template <class M>
struct forward_returns_nothing {
  [[gnu::error("`forward` must return a formula of its inputs, such as `return relu(x);`; it returns nothing"),
    gnu::noinline]] static int
  report() {
    asm volatile("");
    return 0;
  }
  static inline int const reported = report();
};
/// The error type of a forward that returns no formula.
template <class M, class Result>
constexpr auto fault_of_result() {
  if constexpr (drops_returns_in_error && std::is_same_v<Result, void>)
    return static_cast<void>(forward_returns_nothing<M>::reported), invalid<already_reported>{};
  else return invalid<forward_returns<M, Result>>{};
}
/// True if an invalid assignment in this body, or a value as a number, was already reported: errors that follow from it
/// are not reported.
template <class... Body>
concept AfterReportedError =
    is_reported<wrong_assignment, no_forward(Body...)>() || is_reported<value_as_number, no_forward(Body...)>();
template <class M, class Result, class... X>
constexpr auto checked_result() {
  constexpr bool accessible = requires(M const& module, X... x) { module.forward(x...); };
  if constexpr (std::is_same_v<Result, no_forward>)
    return std::type_identity<invalid<decltype(fault_of_missing_forward<M, X...>())>>{};
  else if constexpr (PlainForward<M>) return std::type_identity<invalid<forward_is_generic<M>>>{};
  // Private: the compiler has reported it.
  else if constexpr (!accessible) return std::type_identity<invalid<already_reported>>{};
  else if constexpr ((!is_formula<bare<Result>> || is_invalid<bare<Result>>)&&AfterReportedError<M, X...>)
    return std::type_identity<invalid<already_reported>>{};
  else if constexpr (!is_formula<bare<Result>>) return std::type_identity<decltype(fault_of_result<M, Result>())>{};
  else return std::type_identity<Result>{};
}

template <class T>
concept Complete = requires {
  new T;
};
/// The body of a module applied to operands: the type that forward returns, or an `invalid` type.
template <class M, class... X>
struct body_of {
  // The return type of forward is still being deduced: forward calls itself.
  static constexpr bool calls_itself = !Complete<result_of_forward<M, X...>>;
  using type = std::conditional_t<calls_itself, invalid<forward_ends<M>>, invalid<already_reported>>;
};
template <class M, class... X>
  requires requires { typename result_of_forward<M, X...>::type; }
struct body_of<M, X...> : decltype(checked_result<M, typename result_of_forward<M, X...>::type, X...>()) {};

/// The tracer of the program that owns a module's parameters, buffers and streams; null if none does.
template <class M>
constexpr tracing::tracer* owner_of(M const& member) {
  tracing::tracer* t = nullptr;
  if constexpr (requires { member.tracer; }) {
    t = member.tracer;
  } else if constexpr (requires { M::visit_members(member, [](char const*, auto const&) {}); }) {
    M::visit_members(member, [&](char const*, auto const& inner) { t = t != nullptr ? t : owner_of(inner); });
  } else if constexpr (requires { member.begin() != member.end(); }) {
    for (auto const& inner : member) t = t != nullptr ? t : owner_of(inner);
  }
  return t;
}

/// Whether an observer is called for a module that returns this: a value, or a std::tuple of values.
template <class Result>
inline constexpr bool is_observable = marked_expression<Result>;
template <class... R>
inline constexpr bool is_observable<std::tuple<R...>> = (marked_expression<R> && ...);

/// What a module returns for invalid operands: its forward is not called. A module of several results has as many, for
/// which it defines results_of_invalid<inputs>: `auto const [y, h] = gru(x)` is then no further error.
template <class M, std::size_t Inputs, class Invalid>
constexpr auto results_without_a_body(Invalid found) {
  if constexpr (requires { M::template results_of_invalid<Inputs>(found); })
    return M::template results_of_invalid<Inputs>(found);
  else return found;
}
/// The value of a module applied to traced operands: traces its body, or calls the observer if there is one.
template <class M, class... X>
constexpr auto traced_call(M const& module, X const&... x) {
  using Observer = typename observer_of<X...>::type;
  if constexpr (!std::is_void_v<Observer>) {
    if constexpr (is_observable<decltype(module.forward(as_traced<X>{}...))>) return Observer::call(module, x...);
    else return module.forward(x...);
  } else if constexpr (!marked_expression<decltype(module.forward(as_traced<X>{}...))>) {
    using Values = decltype(module.forward(x...));  // several values; invalid if a number is no operand of theirs
    if constexpr (is_invalid<Values>) return results_without_a_body<M, sizeof...(X)>(through<M>(Values{}));
    else return module.forward(x...);
  } else if constexpr ((std::is_same_v<X, as_traced<X>> && ...) &&
                       std::is_same_v<decltype(module.forward(x...)), as_traced<decltype(module.forward(x...))>>) {
    return module.forward(x...);
  } else {
    tracing::tracer* t = tracer_of(x...);
    if constexpr (!(TracedValue<X> || ...))
      if (t == nullptr) t = owner_of(module);  // a layer applied to a constant tensor
    using Y = as_traced<decltype(module.forward(as_traced<X>{}...))>;
    // It runs anyway: a caller first checks whether it can run.
    if (t == nullptr) return static_cast<void>(module.forward(as_traced<X>{}...)), Y{};
    return as_value<Y>(*t, module.forward(as_traced<X>{t, tracing::trace_operand(*t, x)}...));
  }
}

/// An operand of a module as a value of the body; a struct becomes a struct of values.
template <class X>
constexpr auto module_operand(tracing::tracer* t, X const& x) {
  return map_leaves(x, [&]<class Leaf>(Leaf const& leaf) {
    using Y = in_body<Leaf>;
    if constexpr (std::is_same_v<Leaf, Y>) return leaf;
    else return t == nullptr ? Y{} : Y{t, tracing::trace_operand(*t, leaf)};
  });
}
template <class X>
constexpr tracing::tracer* tracer_of_operand(X const& x) {
  if constexpr (Structure<X>) return tracer_in_structure(x);
  else return tracer_in(x);
}
/// Whether a struct among the operands is a fault: modules that define takes_single_values take none, those that define
/// takes_single_value_first only behind their first operand. Recurrent layers and cells do, whose state may be a tuple.
template <class M, class First, class... X>
inline constexpr bool rejects_struct = requires {
  typename M::takes_single_values;
}
|| (Structure<First> && requires { typename M::takes_single_value_first; });
/// The fault of the first operand that is a struct.
template <class M, class... X>
struct struct_operand {};
template <class M, class First, class... X>
struct struct_operand<M, First, X...>
    : std::conditional_t<Structure<First>,
                         std::type_identity<invalid<operand_is_one_value<M, static_cast<int>(leaf_count_of<First>)>>>,
                         struct_operand<M, X...>> {};

/// Applies a module to operands of which one is a struct. It is a part of the body that calls it: formulas of tensors
/// have no structs.
template <class M, class... X>
constexpr auto apply_module_to_structs(M const& module, X const&... x) {
  if constexpr ((HoldsInvalid<X> || ...)) {
    return results_without_a_body<M, sizeof...(X)>(first_invalid_of<X...>{});
  } else if constexpr (rejects_struct<M, X...>) {
    return results_without_a_body<M, sizeof...(X)>(through<M>(typename struct_operand<M, X...>::type{}));
  } else {
    using Body = typename body_of<M, in_body<X>...>::type;
    if constexpr (is_invalid<Body>) {
      return results_without_a_body<M, sizeof...(X)>(through<M>(Body{}));
    } else {
      tracing::tracer* t = nullptr;
      ((t = t != nullptr ? t : tracer_of_operand(x)), ...);
      return module.forward(module_operand(t, x)...);
    }
  }
}

/// Named relation: tensors fit the module that is applied to them. No root is behind this call, so it reports.
template <class Found>
struct module_fits_tensors {
  static constexpr bool agree = was_reported_before<Found>;
};
#define ESPALIER_MODULE_FITS_TENSORS                                      \
  "module(x...): the tensors do not fit this module" ESPALIER_FACTS_HINT( \
      "; invalid<...> holds the violated relation, then the path to it from the inside out")

/// Applies a module. If the result is invalid, adds the module's type to its path.
template <class M, class... X>
constexpr auto apply_module(M const& module, X const&... x) {
  if constexpr ((Structure<X> || ...)) {
    return apply_module_to_structs(module, x...);
  } else if constexpr ((is_invalid<X> || ...)) {
    return results_without_a_body<M, sizeof...(X)>(typename first_invalid<X...>::type{});
  } else if constexpr (
      requires { requires !M::options_fit; } || requires { requires !M::numbers_fit && M::number_report::report(); }) {
    return results_without_a_body<M, sizeof...(X)>(invalid<already_reported>{});
  } else {
    using Body = typename body_of<M, as_traced<X>...>::type;
    if constexpr (is_invalid<Body> && !(Traced<X> || ...)) {
      using Fit = module_fits_tensors<decltype(through<M>(Body{}))>;
      static_assert(Fit::agree, ESPALIER_SENTENCE(ESPALIER_MODULE_FITS_TENSORS, Fit));
      return results_without_a_body<M, sizeof...(X)>(invalid<already_reported>{});
    } else if constexpr (is_invalid<Body>) {
      if constexpr (requires { typename M::is_transparent; }) return Body{};
      else return results_without_a_body<M, sizeof...(X)>(through<M>(Body{}));
    } else if constexpr ((Traced<X> || ...)) {
      return traced_call(module, x...);
    } else if constexpr (has_numbers_of_its_own<M>) {
      // In the program that owns the module. Without a program, the code that would compute the value reports an error.
      return traced_call(module, x...);
    } else if constexpr (has_plain_numbers<M>) {
      // It uses this object's numbers, which a program built from the type would not have.
      return module.forward(keep(x)...);
    } else {
      return call<shape_of<Body>, M, kept<X const&>...>{module, keep(x)...};
    }
  }
}

template <class X>
inline constexpr bool is_call = false;
template <class S, class M, class... X>
inline constexpr bool is_call<call<S, M, X...>> = true;
/// Applies a module to operands of which one is a temporary tensor: the formula owns it, as with an op. (A separate
/// function, so that calls in traced bodies are not instantiated for both lvalues and rvalues.)
template <class M, class... X>
constexpr auto apply_module_to_temporary(M const& module, X&&... x) {
  using Y = decltype(apply_module(module, x...));
  if constexpr (is_call<Y>) return call<shape_of<Y>, M, kept<X>...>{module, keep(static_cast<X&&>(x))...};
  else if constexpr (has_plain_numbers<M> && !has_numbers_of_its_own<M> && !is_invalid<Y> && !(Traced<X> || ...))
    return module.forward(keep(static_cast<X&&>(x))...);
  else return apply_module(module, x...);
}
}  // namespace detail

}  // namespace espalier
#include "../base/diagnostics_pop.hpp"
