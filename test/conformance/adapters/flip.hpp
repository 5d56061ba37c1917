// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "support/axes.hpp"

namespace conformance {

template <class Axes>
struct flip_function;
template <>
struct flip_function<integers<>> {
  constexpr auto operator()(auto const& x) const { return nn::Identity{}(x); }
};
template <int... Axes>
struct flip_function<integers<Axes...>> {
  constexpr auto operator()(auto const& x) const { return esp::flip<Axes...>(x); }
};
template <>
struct flip_function<nothing> {
  constexpr auto operator()(auto const& x) const { return esp::flip(x); }
};
template <int Axis>
struct flip_function<constant_value<Axis>> : flip_function<integers<Axis>> {};

template <class Case, class T>
void check_flip(case_run& run) {
  run_function<Case, T, flip_function<attribute_of<Case, "axes">>>(run);
}

}  // namespace conformance
