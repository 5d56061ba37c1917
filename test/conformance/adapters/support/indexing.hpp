// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <espalier/operation/gather.hpp>
#include <espalier/operation/index_select.hpp>
#include <espalier/operation/scatter_add.hpp>
#include <espalier/operation/take_along_axis.hpp>

#include "function.hpp"

// Ops of indices along the attribute axis, on the inputs in the order of the case.
namespace conformance {

template <int Axis>
struct gather_function {
  constexpr auto operator()(auto const& x, auto const& index) const { return esp::gather<Axis>(x, index); }
};
template <int Axis>
struct take_along_axis_function {
  constexpr auto operator()(auto const& x, auto const& index) const { return esp::take_along_axis<Axis>(x, index); }
};
template <int Axis>
struct index_select_function {
  constexpr auto operator()(auto const& x, auto const& index) const { return esp::index_select<Axis>(x, index); }
};
template <int Axis>
struct scatter_add_function {
  constexpr auto operator()(auto const& x, auto const& index, auto const& source) const {
    return esp::scatter_add<Axis>(x, index, source);
  }
};

template <class Case, class T, template <int> class Function>
void run_indexing(case_run& run) {
  run_function<Case, T, Function<attribute_or<Case, "axis", int>(0)>>(run);
}

}  // namespace conformance
