// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "model_argument.hpp"
#include "named.hpp"

namespace espalier {

/// parameter_of<"0.weight">(net): the parameter of a model with this name, in the body of a function. For gradients of
/// a model it is the gradient with respect to that parameter.
/// shape     as the net declares it
/// errors    an unknown name does not compile; the error shows the most similar name
/// gradient  dy
template <tensor_name Name, class Net, class Found = detail::parameter_named<Net, Name>>
constexpr auto parameter_of(traced_net<Net> const& net) {
  if constexpr (Found::agree) {
    using Y = traced<shape_from<detail::parameter_shape<Net, Found::value>>>;
    tracing::tracer* const t = tracing::tracer_of_leaves(net);
    int node = 0, i = 0;
    tracing::visit_leaves(net, [&](auto const& leaf, bool) {
      if (i++ == Found::value && t != nullptr) node = tracing::trace_operand(*t, leaf);
    });
    return Y{t, node};
  } else {
    return invalid<Found>{};
  }
}

}  // namespace espalier
#include "../base/diagnostics_pop.hpp"
