// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "support/stream.hpp"

namespace conformance {

namespace detail {

template <text Name>
constexpr auto activated(auto const& x) {
  if constexpr (Name == text{"tanh"}) return esp::tanh(x);
  else if constexpr (Name == text{"relu"}) return esp::relu(x);
  else if constexpr (Name == text{"sigmoid"}) return esp::sigmoid(x);
  else static_assert(Name == text{"linear"});
}
template <class Word>
struct activation_named;
template <text Name>
struct activation_named<word<Name>> {
  static constexpr auto of(auto const& x) { return activated<Name>(x); }
};

/// Causal convolutions of signals (1, T, channels), each with its activation, and a residual where widths agree.
template <class Activation, bool Residual, bool Bias, int Kernel, int In, class Channels, class Dilations>
struct causal_stack {
  static constexpr int last = In;
  ESPALIER_MODULE(causal_stack)
  constexpr auto forward(auto x) const { return x; }
};
template <class Activation, bool Residual, bool Bias, int Kernel, int In, int Out, int... Outs, int Dilation,
          int... Dilations>
struct causal_stack<Activation, Residual, Bias, Kernel, In, integers<Out, Outs...>, integers<Dilation, Dilations...>> {
  using Rest = causal_stack<Activation, Residual, Bias, Kernel, Out, integers<Outs...>, integers<Dilations...>>;
  static constexpr int last = Rest::last;
  nn::Conv1d<In, Out, Kernel,
             nn::conv{
                 .padding = {0, Dilation*(Kernel - 1), 0, 0}, .dilation = Dilation, .layout = esp::nhwc, .bias = Bias}>
      conv{};
  Rest rest{};
  ESPALIER_MODULE(causal_stack, conv, rest)
  constexpr auto forward(auto x) const {
    auto const y = Activation::of(conv(x));
    if constexpr (Residual && In == Out) return rest(x + y);
    else return rest(y);
  }
};
template <class Stack, int Out>
struct stack_and_dense {
  Stack stack{};
  nn::Linear<Stack::last, Out> out{};
  ESPALIER_MODULE(stack_and_dense, stack, out)
  constexpr auto forward(auto x) const { return out(stack(x)); }
};

/// Copies a weight whose axes are in PyTorch's order, the reverse of the library's.
template <class T>
void read_reversed(case_run& run, std::string_view name, auto&& parameter, std::size_t outs, std::size_t ins,
                   std::size_t taps) {
  auto const to = as_span<T>(parameter.span());
  std::vector<T> given(to.size());
  run.read(role::parameter, name, given);
  for (std::size_t o = 0; o < outs; ++o)
    for (std::size_t i = 0; i < ins; ++i)
      for (std::size_t k = 0; k < taps; ++k) to[(k * ins + i) * outs + o] = given[(o * ins + i) * taps + k];
}

/// Fills the parameters of the convolutions of a stack at a path in the net.
template <class Channels, int In, int Kernel, bool Bias, class T>
void read_stack(case_run& run, auto& model, std::string_view before) {
  using channels = listed<Channels>;
  joined path = join(before);
  for (int l = 0; l < channels::count; ++l) {
    joined const weight = join(path, "conv.weight"), biases = join(path, "conv.bias");
    auto const outs = static_cast<std::size_t>(channels::at[l]);
    auto const ins = static_cast<std::size_t>(l == 0 ? In : channels::at[l - 1]);
    read_reversed<T>(run, join("conv.", l, ".weight"), model.parameter(weight.c_str()), outs, ins, Kernel);
    if constexpr (Bias)
      run.read(role::parameter, join("conv.", l, ".bias"), as_span<T>(model.parameter(biases.c_str()).span()));
    path.add("rest.");
  }
}
/// Fills the parameters of the dense layer `out`, which is at a path in the net.
template <class T>
void read_dense(case_run& run, auto& model, std::string_view at) {
  auto const weight = model.parameter(join(at, ".weight").c_str());
  auto const ins = static_cast<std::size_t>(weight.shape().at[0]),
             outs = static_cast<std::size_t>(weight.shape().at[1]);
  read_reversed<T>(run, "out.weight", weight, outs, ins, 1);
  run.read(role::parameter, "out.bias", as_span<T>(model.parameter(join(at, ".bias").c_str()).span()));
}

}  // namespace detail

/// A causal stack, fed block by block. Its sequence is (T, channels).
template <class Case, class T>
void check_causal_conv_stream(case_run& run) {
  using X = input_shape<Case>;
  constexpr int in = X::template extent<1>(), kernel = attribute_or<Case, "kernel", int>(1);
  constexpr bool bias = attribute_or<Case, "bias", bool>(true), dense = attribute_or<Case, "out", bool>(false);
  using Channels = attribute_of<Case, "channels">;
  using Stack = detail::causal_stack<detail::activation_named<attribute_of<Case, "activation">>,
                                     attribute_or<Case, "residual", bool>(false), bias, kernel, in, Channels,
                                     attribute_of<Case, "dilations">>;
  constexpr int out = [] {
    if constexpr (dense) return shape_of<typename Case::parameters, "out.weight">::template extent<0>();
    else return Stack::last;
  }();
  using Net = std::conditional_t<dense, detail::stack_and_dense<Stack, out>, Stack>;
  esp::model<Net, esp::cpu, T> model;
  detail::read_stack<Channels, in, kernel, bias, T>(run, model, dense ? "stack." : "");
  if constexpr (dense) detail::read_dense<T>(run, model, "out");
  esp::tensor<T, X> x;
  run.read(role::input, "x", as_span<T>(x));
  esp::tensor<T, esp::shape<X::template extent<0>(), out>> y;
  feed<Case, T>(model, x, y);
  report_result(run, "y", y);
}

}  // namespace conformance
