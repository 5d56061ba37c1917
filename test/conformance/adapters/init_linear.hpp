// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "support/initializers.hpp"

namespace conformance {

namespace detail {
/// How a member of a module begins, from its declaration.
template <class S, class Scheme>
constexpr auto initializer_of(esp::parameter<S, Scheme> const&) {
  return Scheme::value;
}
}  // namespace detail

/// The initialisers that nn::Linear declares, applied to given draws; the bias's draws are a column.
template <class Case, class T>
void check_init_linear(case_run& run) {
  using weight = shape_of<typename Case::inputs, "draws_weight">;
  using Net = nn::Linear<weight::template extent<0>(), weight::template extent<1>()>;
  constexpr Net net{};
  run_initializer<Case, T>(run, detail::initializer_of(net.weight), "weight", "draws_weight");
  run_initializer<Case, T>(run, detail::initializer_of(net.bias), "bias", "draws_bias");
}

}  // namespace conformance
