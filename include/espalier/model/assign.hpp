// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "../operation/number_range.hpp"
#include "map_parameters.hpp"

namespace espalier {

namespace detail {

/// Whether all trainable parameters of a value are those of a model, or of gradients that are an argument.
template <class Net>
constexpr bool is_model_itself(traced_net<Net> const& net) {
  bool own = true;
  tracing::visit_leaves(net, [&](auto const& leaf, bool trainable) { own = own && (leaf.node == 0 || !trainable); });
  return own;
}
/// Whether a program already changes a parameter, or the vector of all of a model.
constexpr bool changes_parameter(tracing::tracer const& t, int slot) {
  for (int i = 0; i < t.program.output_count; ++i)
    if (t.program.outputs[i].where == graph::destination::parameter && t.program.outputs[i].index == slot) return true;
  return false;
}
/// Makes node `id` the next value of a parameter, or of the vector of all of a model. Reads behind it read that value.
constexpr void change_parameter(tracing::tracer& t, int id, int slot) {
  graph::node_table& g = t.nodes();
  graph::node const& data = g[graph::data_of(g, id)];
  // A copy reads it, in the order of all reads: that parameter may be changed, too.
  if (data.op->family == graph::op_family::parameter && slot_of(data) != slot)
    id = g.add(graph::node{
        &described<copied_>, {id, 0, 0, 0}, graph::copy_attribute(2 * graph::max_outputs + slot), g[id].shape});
  t.parameter_now[slot] = id;
  for (int i = 0; i < t.program.output_count; ++i) {
    graph::output& o = t.program.outputs[i];
    if (o.where != graph::destination::parameter || o.index != slot) continue;
    o.id = id;
    return;
  }
  t.program.add_output(id, graph::destination::parameter, slot);
}

}  // namespace detail

/// assign(net, values): the model's parameters are those of `values`, a result of map_parameters or another model, in
/// the body of a function. What the function computes behind it reads the new parameters.
///     assign(net, map_parameters([](auto p, auto g) { return p - 0.1f * g; }, net, gradients));
/// shape     models of one net
/// errors    another net does not compile; neither does an assignment inside a function that is differentiated, to a
///           value that is not a model, or to a model that an updater changes in the same function
/// gradient  none: it is an update
template <class Net, class Values>
constexpr void assign(traced_net<Net> const& net, Values const& values) {
  if constexpr (is_invalid<Values>) {
    // An assignment has no result that could carry the error to a root.
    if (tracing::tracer* const t = tracing::tracer_of_leaves(net); t != nullptr)
      t->nodes().report(graph::fault::update_of_another_net);
  } else {
    using Nets = same_net<Net, typename detail::net_of_value<Values>::type>;
    tracing::tracer* const t = tracing::tracer_of_leaves(net);
    if (t == nullptr) return;
    if constexpr (!Nets::agree) {
      t->nodes().report(graph::fault::update_of_another_net);
    } else {
      if (t->depth != 0) return t->nodes().report(graph::fault::update_in_derivative);
      if (!detail::is_model_itself(net)) return t->nodes().report(graph::fault::update_of_a_value);
      if (detail::changes_parameter(*t, net.vector)) return t->nodes().report(graph::fault::two_kinds_of_update);
      auto const nodes = detail::nodes_of_parameters(*t, values);
      int i = 0;
      tracing::visit_leaves(net, [&](auto const& leaf, bool) {
        int const id = nodes.at[i++];
        if (leaf.node == 0 && id != tracing::trace_operand(*t, leaf)) detail::change_parameter(*t, id, leaf.slot);
      });
    }
  }
}

/// update_average(target, net, decay): target = decay target + (1 - decay) net, parameter by parameter: an exponential
/// moving average of a model (target networks). In the body of a function.
/// shape     models of one net; decay is a number or a value of shape ()
/// range     decay in [0, 1]
/// errors    as assign; another number does not compile
/// gradient  none: it is an update
/// source    Polyak and Juditsky 1992; Lillicrap et al. 2016, with tau = 1 - decay
template <class Net, class Other, class Decay>
constexpr void update_average(traced_net<Net> const& target, Other const& net, Decay const& decay) {
  if constexpr (Number<Decay>)
    if (!detail::is_in_range(static_cast<double>(decay), detail::option_range::to_1))
      if (tracing::tracer* const t = tracing::tracer_of_leaves(target); t != nullptr)
        t->nodes().report(graph::fault::number_out_of_range);
  assign(target, map_parameters([&](auto average, auto p) { return decay * average + (1 - decay) * p; }, target, net));
}

}  // namespace espalier
#include "../base/diagnostics_pop.hpp"
