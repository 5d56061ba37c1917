// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "support/function.hpp"

namespace conformance {

template <esp::rotary Options>
struct rotary_function {
  constexpr auto operator()(auto const& x) const { return esp::rotary_embedding<Options>(x); }
};

template <class Case, class T>
void check_rotary(case_run& run) {
  run_function<Case, T,
               rotary_function<{.interleaved = attribute_or<Case, "interleaved", bool>(true),
                                .base = attribute_or<Case, "base", double>(10000),
                                .first_position = attribute_or<Case, "first_position", int>(0)}>>(run);
}

}  // namespace conformance
