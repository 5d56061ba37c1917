// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <tuple>
#include <type_traits>
#include <utility>

#include "../../harness.hpp"

// Cases whose op is a function of tensors: the value by eager evaluation, the gradients by vjp.
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
template <class CaseTensor, class T>
auto load(case_run& run) {
  esp::tensor<typename element_type<T, CaseTensor::kind>::type, typename CaseTensor::shape> x;
  role const from = run.has(role::input, CaseTensor::name()) ? role::input : role::parameter;
  run.read(from, CaseTensor::name(), {x.data(), static_cast<std::size_t>(x.size())});
  return x;
}

/// The value of an expression (or of a tensor) as a tensor of T.
template <class T, class E>
auto value_of(E const& expression) {
  return esp::tensor<T, esp::shape_of<E>>(expression);
}

template <class X>
void report_result(case_run& run, std::string_view name, X const& x) {
  run.result(name, {x.data(), static_cast<std::size_t>(X::size())}, x.shape());
}
template <class T, class E>
void report_value(case_run& run, std::string_view name, E const& expression) {
  if (run.expects(name)) report_result(run, name, value_of<T>(expression));
}

template <class X>
X gradient_of_loss(case_run& run, X const& y) {
  X gradient;
  run.gradient_of_loss({y.data(), static_cast<std::size_t>(X::size())},
                       {gradient.data(), static_cast<std::size_t>(X::size())});
  return gradient;
}

namespace detail {
/// The gradients stand in the order of the real inputs; labels have none.
template <std::size_t I, class Gradients>
void give_gradients(case_run&, Gradients const&, case_tensors<>) {}
template <std::size_t I, class Gradients, class CaseTensor, class... Rest>
void give_gradients(case_run& run, Gradients const& gradients, case_tensors<CaseTensor, Rest...>) {
  constexpr bool real = CaseTensor::kind != element::label;
  if constexpr (real && requires { std::tuple_size<Gradients>::value; })
    report_result(run, join("grad.", CaseTensor::name()), std::get<I>(gradients));
  else if constexpr (real) report_result(run, join("grad.", CaseTensor::name()), gradients);
  give_gradients<real ? I + 1 : I>(run, gradients, case_tensors<Rest...>{});
}

template <class... Input, class... Parameter>
constexpr case_tensors<Input..., Parameter...> both(case_tensors<Input...>, case_tensors<Parameter...>) {
  return {};
}

/// f(x..., the given tensors...).
template <class T, class F, class... X>
void with_inputs(case_run&, F const& f, case_tensors<>, X const&... x) {
  f(x...);
}
template <class T, class F, class CaseTensor, class... Rest, class... X>
void with_inputs(case_run& run, F const& f, case_tensors<CaseTensor, Rest...>, X const&... x) {
  auto const next = load<CaseTensor, T>(run);
  with_inputs<T>(run, f, case_tensors<Rest...>{}, x..., next);
}
}  // namespace detail

/// y = F{}(inputs..., parameters...), and where the case wants gradients, the gradients of its loss L.
template <class Case, class T, class F>
void run_function(case_run& run, std::string_view output = "y") {
  constexpr auto given = detail::both(typename Case::inputs{}, typename Case::parameters{});
  auto const work = [&](auto const&... x) {
    auto const y = value_of<T>(F{}(x...));
    report_result(run, output, y);
    if constexpr (Case::gradient) {
      auto const dy = gradient_of_loss(run, y);
      detail::give_gradients<0>(run, esp::vjp(F{})(x...)(dy), given);
    }
  };
  detail::with_inputs<T>(run, work, given);
}

}  // namespace conformance
