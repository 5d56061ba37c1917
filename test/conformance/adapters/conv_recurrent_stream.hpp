// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "causal_conv_stream.hpp"
#include "recurrent_stream.hpp"

namespace conformance {

namespace detail {

template <class Stack, class Layers, int Hidden, int Out>
struct stack_and_recurrent {
  Stack stack{};
  recurrent_and_dense<Layers, Hidden, Out, false> rest{};
  ESPALIER_MODULE(stack_and_recurrent, stack, rest)
  constexpr auto forward(auto x) const { return rest(stack(x)); }
};

}  // namespace detail

/// A causal stack and recurrent layers behind it, fed block by block.
template <class Case, class T>
void check_conv_recurrent_stream(case_run& run) {
  using X = input_shape<Case>;
  constexpr int in = X::template extent<1>(), kernel = attribute_or<Case, "kernel", int>(1);
  constexpr int out = shape_of<typename Case::parameters, "out.weight">::template extent<0>();
  using Channels = attribute_of<Case, "channels">;
  using Stack = detail::causal_stack<detail::activation_named<attribute_of<Case, "activation">>, false, true, kernel,
                                     in, Channels, attribute_of<Case, "dilations">>;
  using Net = detail::stack_and_recurrent<Stack, detail::streamed_layers<Case, Stack::last>,
                                          recurrent_options<Case>::hidden, out>;
  esp::model<Net, esp::cpu, T> model;
  detail::read_stack<Channels, in, kernel, true, T>(run, model, "stack.");
  detail::read_recurrent_and_dense<Case>(run, model, "rest.layers.");
  detail::read_dense<T>(run, model, "rest.out");
  esp::tensor<T, X> x;
  run.read(role::input, "x", as_span<T>(x));
  esp::tensor<T, esp::shape<X::template extent<0>(), out>> y;
  (void)feed<Case, T>(model, x, y);
  report_result(run, "y", y);
}

}  // namespace conformance
