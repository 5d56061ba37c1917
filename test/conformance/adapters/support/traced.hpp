// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <memory>
#include <vector>

#include "axes.hpp"
#include <espalier/model/slots.hpp>

// Programs as they are traced, before anything is simplified.
namespace conformance {

/// The I-th input of a traced formula. It becomes a node where it is first used, as in the order that a depth-first
/// walk gives.
template <class S, int I>
struct traced_input {
  using shape_type = S;
  using is_expression = void;
  using element_type = void;
  static constexpr bool eager = false;
  constexpr int trace_into(esp::tracing::tracer& t) const {
    return esp::tracing::add_leaf(t, &esp::described<esp::argument_>, static_cast<std::uint64_t>(I), S::value);
  }
};

/// The unsimplified program of an expression, in training mode.
template <class E>
std::unique_ptr<esp::graph::program> trace_plainly(E const& expression) {
  auto result = std::make_unique<esp::graph::program>();
  result->nodes.plain = true;
  esp::tracing::tracer tracer{*result, esp::tracing::mode::training, false, 0, 0};
  trace_expression(tracer, expression);
  return result;
}

/// The unsimplified program of a net, in training mode.
template <class Net, class In>
std::unique_ptr<esp::graph::program> trace_net_plainly() {
  auto result = std::make_unique<esp::graph::program>();
  result->nodes.plain = true;
  esp::tracing::tracer tracer{*result, esp::tracing::mode::training, false, 0, 0};
  esp::detail::trace_net<Net, In>(tracer, esp::tracing::add_argument<float>(tracer, 0, In::value));
  return result;
}

}  // namespace conformance
