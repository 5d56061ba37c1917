// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "support/axes.hpp"

namespace conformance {

namespace detail {
/// Moves the last axis to the place To, one exchange of neighbours after the other.
template <int To>
constexpr auto last_axis_to(auto const& x, auto from) {
  if constexpr (decltype(from)::value <= To) return x;
  else
    return last_axis_to<To>(esp::transpose<decltype(from)::value - 1, decltype(from)::value>(x),
                            std::integral_constant<int, decltype(from)::value - 1>{});
}
}  // namespace detail

/// ONNX adds the values for "off" and "on" and the place of the new axis.
template <class Case, class T>
void check_one_hot(case_run& run) {
  constexpr int classes = attribute_or<Case, "n", int>(0);
  constexpr double off = attribute_or<Case, "off", double>(0), on = attribute_or<Case, "on", double>(1);
  [&]<class CaseTensor>(case_tensors<CaseTensor>) {
    constexpr int rank = CaseTensor::shape::rank;
    auto const labels = load<CaseTensor, T>(run);
    auto const rows = value_of<T>(esp::one_hot<classes>(labels) * (on - off) + off);
    report_result(run, "y",
                  value_of<T>(detail::last_axis_to<attribute_or<Case, "axis", int>(rank)>(
                      rows, std::integral_constant<int, rank>{})));
  }(typename Case::inputs{});
}

}  // namespace conformance
