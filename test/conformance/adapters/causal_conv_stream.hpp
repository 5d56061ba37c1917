// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <vector>

#include <espalier/stream.hpp>

#include "support/module.hpp"

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

template <class List>
struct listed;
template <int... I>
struct listed<integers<I...>> {
  static constexpr int count = static_cast<int>(sizeof...(I));
  static constexpr int at[sizeof...(I) + 1]{I..., 0};
};
template <>
struct listed<nothing> : listed<integers<>> {};

/// Feeds the blocks one after the other. A block of another length has a stream of its own, which continues from the
/// state of the one before.
template <class Blocks, class T, class Net, class X, class Y>
void feed(esp::model<Net, esp::cpu, T> const& model, X const& x, Y& y, bool resets(int)) {
  constexpr int in = X::shape_type::template extent<1>(), out = Y::shape_type::template extent<1>();
  int at = 0;
  std::vector<T> state;
  auto const one = [&]<int Steps>(std::integral_constant<int, Steps>) {
    esp::stream stream{model, esp::batch<1, Steps, in>{}};
    auto saved = stream.save();
    if (at != 0 && !resets(at)) {
      for (std::size_t i = 0; i < saved.size(); ++i) saved[i] = state[i];
      stream.restore(saved);
    }
    esp::tensor<T, esp::shape<1, Steps, in>> block;
    esp::tensor<T, esp::shape<1, Steps, out>> result;
    for (int i = 0; i < Steps * in; ++i) block[i] = x[at * in + i];
    stream(block, result);
    for (int i = 0; i < Steps * out; ++i) y[at * out + i] = result[i];
    saved = stream.save();
    state.assign(saved.begin(), saved.end());
    at += Steps;
  };
  [&]<int... Steps>(integers<Steps...>) { (one(std::integral_constant<int, Steps>{}), ...); }
  (Blocks{});
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
  using channels = detail::listed<Channels>;
  joined path = join(dense ? "stack." : "");
  for (int l = 0; l < channels::count; ++l) {
    joined const weight = join(path, "conv.weight"), biases = join(path, "conv.bias");
    auto const outs = static_cast<std::size_t>(channels::at[l]);
    auto const ins = static_cast<std::size_t>(l == 0 ? in : channels::at[l - 1]);
    detail::read_reversed<T>(run, join("conv.", l, ".weight"), model.parameter(weight.c_str()), outs, ins, kernel);
    if constexpr (bias)
      run.read(role::parameter, join("conv.", l, ".bias"), as_span<T>(model.parameter(biases.c_str()).span()));
    path.add("rest.");
  }
  if constexpr (dense) {
    detail::read_reversed<T>(run, "out.weight", model.parameter("out.weight"), out, Stack::last, 1);
    run.read(role::parameter, "out.bias", as_span<T>(model.parameter("out.bias").span()));
  }
  esp::tensor<T, X> x;
  run.read(role::input, "x", as_span<T>(x));
  esp::tensor<T, esp::shape<X::template extent<0>(), out>> y;
  using resets = detail::listed<attribute_of<Case, "reset_before_steps">>;
  detail::feed<attribute_of<Case, "blocks">, T>(model, x, y, [](int step) {
    bool found = false;
    for (int i = 0; i < resets::count; ++i) found = found || resets::at[i] == step;
    return found;
  });
  report_result(run, "y", y);
}

}  // namespace conformance
