// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "../derivative/reverse.hpp"
#include "../plan/plan.hpp"
#include "trace_net.hpp"

/// The programs of a model: evaluation, training, and only the loss. Each is traced once for a net type and its shapes.
namespace espalier::detail {

/// evaluation: the results are what the net returns for a batch.
template <class Net, class Batch>
struct evaluation_program {
  using subject = Net;
  static constexpr graph::program build(bool has_samples = false, bool has_formulas = false) {
    graph::program p{};
    tracing::tracer t{p, tracing::mode::evaluation, false, 0, 0};
    t.has_samples = has_samples;
    t.has_formulas = p.nodes.keeps_taps = has_formulas;
    tracing::add_values(t, results_in<Net, Batch>(t));
    return p;
  }
  static constexpr plan::storage_layout layout() { return net_layout<Net>::value; }
};

template <class Loss, class Prediction>
using target_shape = typename Loss::template target<Prediction>::type;
template <class Loss, class Prediction>
using target_element = typename Loss::template target<Prediction>::element_type;
template <class Element>
using target_leaf = std::conditional_t<std::is_void_v<Element>, float, Element>;

/// training: result 0 is the loss. The other outputs are gradients of all trainable parameters and updates of buffers.
template <class Net, class Loss, class Batch>
struct training_program {
  using subject = Net;
  using batch = Batch;
  using prediction = shape_of<applied_net<Net, Batch>>;
  using target = target_shape<Loss, prediction>;
  using element = target_element<Loss, prediction>;

  struct forward_trace {
    graph::program program;
    int loss;
  };
  static constexpr forward_trace forward(bool has_samples = false, bool among_processes = false) {
    forward_trace r{};
    r.program.nodes.among_processes = among_processes;
    tracing::tracer t{r.program, tracing::mode::training, false, 0, 0};
    t.has_samples = has_samples;
    int const x = tracing::add_argument<stored_input<Net, float>>(t, 0, Batch::value);
    int const y = tracing::add_argument<target_leaf<element>>(t, 1, target::value);
    int const z = trace_net<Net, Batch>(t, x);
    r.loss = tracing::trace_operand(t, Loss{}(traced<prediction>{&t, z}, traced<target, element>{&t, y}));
    return r;
  }
  static constexpr derivative::backward_pass begin();
  /// scale: a number by which all gradients are multiplied, or no node. Its position is among the program's arguments
  /// or hyperparameters.
  static constexpr derivative::backward_pass begin(forward_trace const& forward, graph::node const& scale = {});
  static constexpr graph::program end(derivative::backward_pass const& pass);
  static constexpr graph::program build();
  static constexpr plan::storage_layout layout() { return net_layout<Net>::value; }
};

template <class Net, class Loss, class Batch>
inline constexpr auto traced_forward = training_program<Net, Loss, Batch>::forward();

template <class Net, class Loss, class Batch>
constexpr derivative::backward_pass training_program<Net, Loss, Batch>::begin() {
  return begin(traced_forward<Net, Loss, Batch>);
}
template <class Net, class Loss, class Batch>
constexpr derivative::backward_pass training_program<Net, Loss, Batch>::begin(forward_trace const& forward,
                                                                              graph::node const& scale) {
  derivative::backward_pass r{forward.program, {}, {}, forward.loss};
  graph::node_table& g = r.program.nodes;
  tensor_slots const& parameters = slots_of<Net>.parameters;
  using derivative::mark;
  r.program.add_output(r.root, graph::destination::result, 0, true);
  for (int id = 1; id <= r.root; ++id)
    if (g[id].op->family == op_family::parameter)
      r.m.at[id] = parameters.trainable[slot_of(g[id])] ? mark::differentiated : mark::constant;
  if (!espalier::detail::is_null(scale.op)) r.adjoint.scale = g.add(scale);
  derivative::begin_reverse(g, r.root, operation::emit_constant(g, 1, extents{}).id, r.m, r.adjoint);
  return r;
}
/// Outputs the gradient of every trainable parameter, in the order of slots. It is 0 if the loss does not depend on the
/// parameter.
template <class Net, class Loss, class Batch>
constexpr graph::program training_program<Net, Loss, Batch>::end(derivative::backward_pass const& pass) {
  graph::program p = pass.program;
  tensor_slots const& parameters = slots_of<Net>.parameters;
  int leaf[max_slots]{};
  for (int id = 1; id <= pass.root; ++id)
    if (p.nodes[id].op->family == op_family::parameter) leaf[slot_of(p.nodes[id])] = id;
  for (int slot = 0; slot < parameters.count; ++slot) {
    if (!parameters.trainable[slot]) continue;
    int const d = leaf[slot] != 0 ? pass.adjoint.of[leaf[slot]] : 0;
    p.add_output(d != 0 ? d : operation::emit_constant(p.nodes, 0, parameters.shape[slot]).id,
                 graph::destination::gradient, slot);
  }
  return p;
}

template <class Net, class Loss, class Batch>
constexpr graph::program training_program<Net, Loss, Batch>::build() {
  constexpr forward_trace const& forward = traced_forward<Net, Loss, Batch>;
  return derivative::with_backward<training_program, forward.loss, forward.program.nodes.loop_count != 0>();
}

/// training with gradients times a scale (optim::scale_loss), hyperparameter 0. The backward pass begins with the scale
/// instead of 1, so every adjoint has it when it is stored. The loss is reported without it.
template <class Net, class Loss, class Batch>
struct scaled_training_program : training_program<Net, Loss, Batch> {
  using base = training_program<Net, Loss, Batch>;
  static constexpr derivative::backward_pass begin() {
    return base::begin(traced_forward<Net, Loss, Batch>,
                       {operation::run_time_number, {}, graph::position_attribute(0, true), extents{}});
  }
  static constexpr graph::program build() {
    constexpr auto const& forward = traced_forward<Net, Loss, Batch>;
    return derivative::with_backward<scaled_training_program, forward.loss, forward.program.nodes.loop_count != 0>();
  }
};

/// training among other processes, for a net with values of all of them (SyncBatchNorm). Scaled: with gradients times a
/// scale.
template <class Net, class Loss, class Batch>
inline constexpr auto traced_among_processes = training_program<Net, Loss, Batch>::forward(false, true);
template <class Net, class Loss, class Batch, bool Scaled>
struct synchronized_training_program : training_program<Net, Loss, Batch> {
  using base = training_program<Net, Loss, Batch>;
  static constexpr derivative::backward_pass begin() {
    constexpr auto const& forward = traced_among_processes<Net, Loss, Batch>;
    if constexpr (Scaled)
      return base::begin(forward, {operation::run_time_number, {}, graph::position_attribute(0, true), extents{}});
    else return base::begin(forward);
  }
  static constexpr graph::program build() {
    constexpr auto const& forward = traced_among_processes<Net, Loss, Batch>;
    return derivative::with_backward<synchronized_training_program, forward.loss,
                                     forward.program.nodes.loop_count != 0>();
  }
};
/// Whether a net has such values.
template <class Net, class Loss, class Batch>
inline constexpr bool combines_processes = traced_forward<Net, Loss, Batch>.program.nodes.combines_processes;

/// The loss of a prediction, without its net.
template <class Loss, class Prediction>
struct loss_program {
  using subject = Loss;
  using target = target_shape<Loss, Prediction>;
  using element = target_element<Loss, Prediction>;
  static constexpr graph::program build() {
    graph::program p{};
    tracing::tracer t{p, tracing::mode::evaluation, false, 0, 0};
    int const z = tracing::add_argument<float>(t, 0, Prediction::value);
    int const y = tracing::add_argument<target_leaf<element>>(t, 1, target::value);
    p.add_output(tracing::trace_operand(t, Loss{}(traced<Prediction>{&t, z}, traced<target, element>{&t, y})),
                 graph::destination::result, 0);
    return p;
  }
  static constexpr plan::storage_layout layout() { return {nullptr, nullptr}; }
};

/// The shape of one sample's rows in a prediction. The first axis of the prediction is the batch, or holds each
/// sample's positions one after the other. For other predictions, it is one row.
template <class Prediction, class Batch>
struct rows_of_sample {
  using type = Prediction;
};
template <int Count, int... Rest, int Samples, int... Sample>
struct rows_of_sample<shape<Count, Rest...>, shape<Samples, Sample...>> {
  using type = shape<Count % Samples == 0 ? Count / Samples : 1, Rest...>;
};

}  // namespace espalier::detail
#include "../base/diagnostics_pop.hpp"
