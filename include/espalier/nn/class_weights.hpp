// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "../operation/compare.hpp"
#include "../operation/where.hpp"
#include "module.hpp"

namespace espalier::nn {

/// Weights of classes as compile-time constants: class_weights<1.0, 2.5, 0.5>. Each value that differs from the first
/// costs a comparison for every class in each step, which is negligible for dozens of classes. Weights in a tensor are
/// an argument of the function cross_entropy.
/// shape   (Classes)
template <real... Values>
struct class_weights {
  using shape_type = shape<static_cast<int>(sizeof...(Values))>;
  using is_expression = void;
  using element_type = void;
  static constexpr bool eager = false;

  template <class Tracer>
  constexpr int trace_into(Tracer& t) const {
    constexpr double value[] = {Values...};
    auto& g = t.nodes();
    handle const position{&g, g.add(graph::node{&described<column_index_>, {}, 0, shape_type::value})};
    handle y = operation::emit_constant(g, value[0], shape_type::value);
    for (int i = 1; i < static_cast<int>(sizeof...(Values)); ++i)
      if (value[i] != value[0]) y = where(equal(position, i), value[i], y);
    return y.id;
  }
};

/// Every class has the same weight.
struct equal_weights {};

}  // namespace espalier::nn
#include "../base/diagnostics_pop.hpp"
