// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "support/axes.hpp"

namespace conformance {

template <int Dilation, class Axes>
struct dilate_function;
template <int Dilation>
struct dilate_function<Dilation, integers<>> {
  constexpr auto operator()(auto const& x) const { return nn::Identity{}(x); }
};
template <int Dilation, int... Axes>
struct dilate_function<Dilation, integers<Axes...>> {
  constexpr auto operator()(auto const& x) const { return esp::dilate<Dilation, Axes...>(x); }
};
template <int Dilation, int Axis>
struct dilate_function<Dilation, constant_value<Axis>> : dilate_function<Dilation, integers<Axis>> {};

template <class Case, class T>
void check_dilate(case_run& run) {
  run_function<Case, T, dilate_function<attribute_or<Case, "dilation", int>(0), attribute_of<Case, "axes">>>(run);
}

}  // namespace conformance
