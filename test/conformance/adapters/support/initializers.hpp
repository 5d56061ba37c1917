// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "axes.hpp"

// Initialisers, which map given draws to elements, so that no random generator has to be reproduced.
namespace conformance {

/// The given draws through an initialiser's map, as the results `output` and its `sum`.
template <class Case, class T>
void run_initializer(case_run& run, auto const& options, std::string_view output = "w",
                     std::string_view given_name = "draws") {
  [&]<class... CaseTensor>(case_tensors<CaseTensor...>) {
    (
        [&] {
          if (CaseTensor::name() != given_name) return;
          auto const from = load<CaseTensor, T>(run);
          esp::tensor<T, typename CaseTensor::shape> to;
          double total = 0;
          for (std::int64_t i = 0; i < from.size(); ++i)
            total += static_cast<double>(to[i] = static_cast<T>(options.from_random(from[i])));
          report_result(run, output, to);
          run.result("sum", total);
        }(),
        ...);
  }(typename Case::inputs{});
  if constexpr (requires { options.bound(); }) run.result("bound_or_std", options.bound());
  else if constexpr (requires { options.deviation(); }) run.result("bound_or_std", options.deviation());
}

template <class Case>
inline constexpr int fan_in = attribute_or<Case, "fan_in", int>(1);
template <class Case>
inline constexpr int fan_out = attribute_or<Case, "fan_out", int>(1);
template <class Case>
inline constexpr double gain = attribute_or<Case, "gain", double>(1);

}  // namespace conformance
