// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <tuple>
#include <type_traits>
#include <utility>

#include "../../harness.hpp"

// Cases whose op is a function of tensors: the value by eager evaluation, the slopes by vjp.
namespace conformance {

template <class T, element Kind>
struct element_type {
  using type = T;
};
template <class T>
struct element_type<T, element::label> {
  using type = std::int32_t;
};

/// A given tensor of the case, input or parameter; labels as int32, everything else as T.
template <class Given, class T>
auto load(case_run& run) {
  esp::tensor<typename element_type<T, Given::kind>::type, typename Given::shape> x;
  role const from = run.has(role::input, Given::name()) ? role::input : role::parameter;
  run.read(from, Given::name(), {x.data(), static_cast<std::size_t>(x.size())});
  return x;
}

/// The value of an expression (or of a tensor) as a tensor of T.
template <class T, class E>
auto value_of(E const& expression) {
  return esp::tensor<T, esp::shape_of<E>>(expression);
}

template <class X>
void give(case_run& run, std::string_view name, X const& x) {
  run.result(name, {x.data(), static_cast<std::size_t>(X::size())}, x.shape());
}
template <class T, class E>
void give_value(case_run& run, std::string_view name, E const& expression) {
  if (run.wants(name)) give(run, name, value_of<T>(expression));
}

template <class X>
X slope_of_loss(case_run& run, X const& y) {
  X slope;
  run.slope_of_loss({y.data(), static_cast<std::size_t>(X::size())}, {slope.data(), static_cast<std::size_t>(X::size())});
  return slope;
}

namespace detail {
/// The slopes stand in the order of the real inputs; labels have none.
template <std::size_t I, class Slopes>
void give_slopes(case_run&, Slopes const&, given_list<>) {}
template <std::size_t I, class Slopes, class Given, class... Rest>
void give_slopes(case_run& run, Slopes const& slopes, given_list<Given, Rest...>) {
  constexpr bool real = Given::kind != element::label;
  if constexpr (real && requires { std::tuple_size<Slopes>::value; }) give(run, join("grad.", Given::name()), std::get<I>(slopes));
  else if constexpr (real) give(run, join("grad.", Given::name()), slopes);
  give_slopes<real ? I + 1 : I>(run, slopes, given_list<Rest...>{});
}

template <class... Input, class... Parameter>
constexpr given_list<Input..., Parameter...> both(given_list<Input...>, given_list<Parameter...>) {
  return {};
}

/// f(x..., the given tensors...).
template <class T, class F, class... X>
void with_inputs(case_run&, F const& f, given_list<>, X const&... x) {
  f(x...);
}
template <class T, class F, class Given, class... Rest, class... X>
void with_inputs(case_run& run, F const& f, given_list<Given, Rest...>, X const&... x) {
  auto const next = load<Given, T>(run);
  with_inputs<T>(run, f, given_list<Rest...>{}, x..., next);
}
}  // namespace detail

/// y = F{}(inputs..., parameters...), and where the case wants slopes, the slopes of its loss L.
template <class Case, class T, class F>
void run_function(case_run& run, std::string_view output = "y") {
  constexpr auto given = detail::both(typename Case::inputs{}, typename Case::parameters{});
  auto const work = [&](auto const&... x) {
    auto const y = value_of<T>(F{}(x...));
    give(run, output, y);
    if constexpr (Case::gradient) {
      auto const dy = slope_of_loss(run, y);
      detail::give_slopes<0>(run, esp::vjp(F{})(x...)(dy), given);
    }
  };
  detail::with_inputs<T>(run, work, given);
}

}  // namespace conformance
