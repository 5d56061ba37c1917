// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "support/function.hpp"

namespace conformance {

/// Function F of all inputs but v: x -> <dF/dx, v>.
template <class F>
struct gradient_along {
  constexpr auto operator()(auto const& x, auto const& v) const { return sum(esp::grad(F{})(x) * v); }
};
/// The sum of the gradient with respect to one of two inputs.
template <class F, std::size_t I>
struct gradient_sum {
  constexpr auto operator()(auto const& a, auto const& b) const { return sum(esp::grad<I>(F{})(a, b)); }
};

namespace detail {
template <class T, class F, std::size_t I, class A, class B>
void second_gradients(case_run& run, std::string_view of, std::string_view a_name, std::string_view b_name, A const& a,
                      B const& b) {
  joined const in_a = join("grad.(grad.", of, ").", a_name), in_b = join("grad.(grad.", of, ").", b_name);
  if (!run.expects(in_a) && !run.expects(in_b)) return;
  auto const [da, db] = esp::grad(gradient_sum<F, I>{})(a, b);
  report_value<T>(run, in_a, da);
  report_value<T>(run, in_b, db);
}
}  // namespace detail

/// First gradients, and gradients of a scalar made of them: <grad.x, v> where a direction v is given, else the sum of
/// one gradient of two.
template <class Case, class T>
void check_grad_of_grad(case_run& run) {
  using F = typename attribute_of<Case, "function">::type;
  using inputs = typename Case::inputs;
  static_assert(inputs::size == 2);
  [&]<class A, class B>(case_tensors<A, B>) {
    auto const a = load<A, T>(run);
    auto const b = load<B, T>(run);
    if constexpr (B::name() == "v") {
      report_value<T>(run, "y", F{}(a));
      report_value<T>(run, join("grad.", A::name()), esp::grad(F{})(a));
      report_value<T>(run, join("grad.(dot(grad.", A::name(), ", v)).", A::name()),
                      esp::grad<0>(gradient_along<F>{})(a, esp::constant(b)));
    } else {
      report_value<T>(run, "y", F{}(a, b));
      auto const [da, db] = esp::grad(F{})(a, b);
      report_value<T>(run, join("grad.", A::name()), da);
      report_value<T>(run, join("grad.", B::name()), db);
      detail::second_gradients<T, F, 0>(run, A::name(), A::name(), B::name(), a, b);
      detail::second_gradients<T, F, 1>(run, B::name(), A::name(), B::name(), a, b);
    }
  }(inputs{});
}

}  // namespace conformance
