// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "../base/option_error.hpp"
#include "../expression/traced.hpp"
#include "../graph/program.hpp"

namespace espalier::detail {

/// Checks a number that an op is given. In a function that the compiler traces, one outside its range is a fault of the
/// program, which does not compile.
/// errors  option_error where the op reads tensors
template <class... X>
constexpr void check_number(char const* where, char const* name, double value, option_range range, X const&... x) {
  if constexpr ((Traced<X> || ...)) {
    if (is_in_range(value, range)) return;
    if (auto* const t = tracer_of(x...); t != nullptr) t->nodes().report(graph::fault::number_out_of_range);
  } else {
    check_option(where, name, value, range);
  }
}

}  // namespace espalier::detail
#include "../base/diagnostics_pop.hpp"
