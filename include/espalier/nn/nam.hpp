// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include <boost/hana/at.hpp>
#include <initializer_list>

#include "../base/needs_header.hpp"
#include "../operation/broadcast_to.hpp"
#include "../operation/multiply.hpp"
#include "activation.hpp"
#include "conv1d.hpp"
#include "lstm.hpp"
#include "sequential.hpp"
#include "smooth_activation.hpp"

/// The nets of Neural Amp Modeler, whose files (.nam) io::load_nam reads. Signals are (batch, steps, channels).
/// A net that such files have defines
///   nam_architecture         the name of its kind in files
///   has_nam_form             whether files can state all of its options
///   visit_nam_config(visit)  calls visit(stack, key, value) for each entry that files state; stack: -1 for the net
/// Files store its parameters and then its buffers in the order of declaration, with PyTorch's order of axes.
namespace espalier::nn::nam {

/// Options of a Stack.
/// inputs, condition  channels of what it reads, and of the signal that is mixed into each layer
/// channels, head     channels of its layers, and of its result
/// range  all numbers at least 1
struct stack {
  int inputs = 1;
  int condition = 1;
  int channels = 16;
  int head = 8;
  int kernel = 3;
  bool gated = false;
  bool head_bias = false;
};

/// A list of whole numbers in the configuration of a file.
struct numbers {
  int const* at;
  int count;
};

namespace detail {

template <stack Options>
inline constexpr bool in_range =
    Options.inputs >= 1 && Options.condition >= 1 && Options.channels >= 1 && Options.head >= 1 && Options.kernel >= 1;
/// Whether each stack reads what the one before it returns.
constexpr bool in_sequence(std::initializer_list<stack> stacks) {
  stack const* const first = stacks.begin();
  bool r = true;
  for (stack const* s = first; s != stacks.end(); ++s)
    r = r && s->condition == first->inputs &&
        (s == first || (s->inputs == s[-1].channels && s->channels == s[-1].head));
  return r;
}
/// The name of an activation in files; "": files have none.
template <class Activation>
inline constexpr char const* activation_name = "";
template <>
inline constexpr char const* activation_name<Tanh> = "Tanh";
template <>
inline constexpr char const* activation_name<ReLU> = "ReLU";
template <>
inline constexpr char const* activation_name<Sigmoid> = "Sigmoid";
template <>
inline constexpr char const* activation_name<HardTanh> = "Hardtanh";
template <>
inline constexpr char const* activation_name<LeakyReLU<>> = "LeakyReLU";
template <>
inline constexpr char const* activation_name<SiLU> = "SiLU";

template <int In, int Out, bool Bias>
using channel_mix = Linear<In, Out, std::conditional_t<Bias, with_bias, no_bias>>;

}  // namespace detail

/// A layer of a Stack: forward(x, condition) is std::tuple{x + conv1x1(z), z}, where
///   z = activation(conv(x) + input_mixin(condition))
/// gated: the activation of the first half of these channels, times the sigmoid of the second half.
/// shape   (N, T, Channels), (N, T, Condition) -> twice (N, T, Channels)
/// errors  another number of channels does not compile
/// saves   what conv, the activation and the products save
/// gradient  that of its formula
/// source  https://github.com/sdatkinson/neural-amp-modeler, nam/models/wavenet.py
template <stack Options, class Activation, int Dilation>
struct Layer {
  static constexpr int channels = Options.channels, width = channels * (Options.gated ? 2 : 1);
  Conv1d<channels, width, Options.kernel,
         nn::conv{.padding = {0, Dilation*(Options.kernel - 1), 0, 0}, .dilation = Dilation, .layout = nhwc}>
      conv{};
  Linear<Options.condition, width, no_bias> input_mixin{};
  Linear<channels, channels> conv1x1{};
  ESPALIER_MODULE(Layer, conv, input_mixin, conv1x1)

  constexpr auto forward(auto x, auto condition) const {
    auto const sum = conv(x) + input_mixin(condition);
    auto const z = activated(sum);
    return std::tuple{x + conv1x1(z), z};
  }

 private:
  static constexpr auto activated(auto const& sum) {
    if constexpr (is_invalid<std::remove_cvref_t<decltype(sum)>>) return sum;
    else if constexpr (!Options.gated) return Activation{}(sum);
    else return Activation{}(slice<-1, 0, channels>(sum)) * sigmoid(slice<-1, channels, 2 * channels>(sum));
  }
};

/// Layers in sequence, each of which adds to the head: forward(x, condition, head...) is std::tuple{x', head'}. x' is
/// the result of the last layer, and head' = head_rechannel(head + the z of all layers).
/// shape   (N, T, inputs), (N, T, condition), (N, T, channels) -> (N, T, channels), (N, T, head)
/// range   all numbers at least 1
/// errors  other numbers, and another number of channels, do not compile
/// saves   what the layers save
/// gradient  that of its formula
/// source  as of Layer
template <stack Options, class Activation, int... Dilation>
struct Stack {
  static constexpr bool numbers_fit = detail::in_range<Options> && sizeof...(Dilation) > 0 && ((Dilation >= 1) && ...);
  static constexpr stack valid = numbers_fit ? Options : stack{};
  Linear<valid.inputs, valid.channels, no_bias> rechannel = nn::detail::numbers_reported<number_report::report()>{};
  Sequential<Layer<valid, Activation, numbers_fit ? Dilation : 1>...> layers{};
  detail::channel_mix<valid.channels, valid.head, valid.head_bias> head_rechannel{};
  ESPALIER_MODULE(Stack, rechannel, layers, head_rechannel)

  constexpr auto forward(auto x, auto condition, auto... head) const {
    return through<0>(rechannel(x), condition, head...);
  }

  static constexpr bool has_nam_form = *detail::activation_name<Activation> != 0;
  static constexpr int dilations[] = {Dilation...};
  template <class Visit>
  static void visit_nam_config(int position, Visit&& visit) {
    visit(position, "input_size", Options.inputs);
    visit(position, "condition_size", Options.condition);
    visit(position, "head_size", Options.head);
    visit(position, "channels", Options.channels);
    visit(position, "kernel_size", Options.kernel);
    visit(position, "dilations", numbers{dilations, sizeof...(Dilation)});
    visit(position, "activation", detail::activation_name<Activation>);
    visit(position, "gated", Options.gated);
    visit(position, "head_bias", Options.head_bias);
  }

  /// Reports numbers that do not fit, for a root of the net.
  struct number_report {
    static constexpr auto report() {
      static_assert(
          numbers_fit,
          ESPALIER_SENTENCE(
              "nn::nam::Stack<stack, Activation, dilations...>: all numbers must be at least 1, with a dilation for each layer",
              ESPALIER_STATED(numbers_fit, ESPALIER_NAMED("inputs", Options.inputs),
                              ESPALIER_NAMED("channels", Options.channels), ESPALIER_NAMED("head", Options.head),
                              ESPALIER_NAMED("kernel", Options.kernel))));
      return true;
    }
  };

 private:
  template <std::size_t I>
  constexpr auto through(auto const& x, auto const& condition, auto const&... head) const {
    if constexpr (is_invalid<std::remove_cvref_t<decltype(x)>>) {
      return x;
    } else if constexpr (I == sizeof...(Dilation)) {
      return std::tuple{x, head_rechannel(head...)};
    } else {
      auto const both = boost::hana::at_c<I>(layers.layers)(x, condition);
      using Both = std::remove_cvref_t<decltype(both)>;
      if constexpr (espalier::detail::HoldsInvalid<Both>) return espalier::detail::first_invalid_of<Both>{};
      else return through<I + 1>(std::get<0>(both), condition, (head + ... + std::get<1>(both)));
    }
  }
};

/// The net of WaveNet files: stacks in sequence. Each stack reads the result of the one before it, and its head
/// continues the head of that. The net's input is the condition of all. y = head_scale times the last head.
/// shape   (N, T, inputs of the first stack) -> (N, T, head of the last stack); head_scale (1), a buffer
/// errors  a stack that does not read what the one before it returns does not compile, and neither does an input of
///         another number of channels
/// saves   what the stacks save
/// gradient  that of its formula; none for head_scale
/// source  as of Layer
template <class First, class... Stacks>
struct WaveNet {
  static constexpr bool numbers_fit = detail::in_sequence({First::valid, Stacks::valid...});
  Sequential<First, Stacks...> stacks = nn::detail::numbers_reported<number_report::report()>{};
  buffer<shape<1>, init::initialized_by<init::ones{}>> head_scale{};
  ESPALIER_MODULE(WaveNet, stacks, head_scale)

  constexpr auto forward(auto x) const { return through<0>(x, x); }

  static constexpr char const* nam_architecture = "WaveNet";
  static constexpr bool has_nam_form = (First::has_nam_form && ... && Stacks::has_nam_form);
  template <class Visit>
  static void visit_nam_config(Visit&& visit) {
    int position = 0;
    First::visit_nam_config(position, visit);
    (Stacks::visit_nam_config(++position, visit), ...);
  }

  /// Reports numbers that do not fit, for a root of the net.
  struct number_report {
    static constexpr auto report() {
      static_assert(
          numbers_fit,
          ESPALIER_SENTENCE(
              "nn::nam::WaveNet<Stacks...>: inputs of a stack must be the channels of the one before it, its channels the head of that, and condition the inputs of the first",
              ESPALIER_STATED(numbers_fit, First, Stacks...)));
      return true;
    }
  };

 private:
  template <std::size_t I>
  constexpr auto through(auto const& condition, auto const& x, auto const&... head) const {
    if constexpr (is_invalid<std::remove_cvref_t<decltype(x)>>) {
      return x;
    } else if constexpr (I > sizeof...(Stacks)) {
      return (head * ... * head_scale);
    } else {
      auto const both = boost::hana::at_c<I>(stacks.layers)(x, condition, head...);
      using Both = std::remove_cvref_t<decltype(both)>;
      if constexpr (espalier::detail::HoldsInvalid<Both>) return espalier::detail::first_invalid_of<Both>{};
      else return through<I + 1>(condition, std::get<0>(both), std::get<1>(both));
    }
  }
};

/// The architecture "standard" of Neural Amp Modeler: 13,802 numbers, a receptive field of 4,093 samples.
using Standard = WaveNet<Stack<stack{.channels = 16, .head = 8}, Tanh, 1, 2, 4, 8, 16, 32, 64, 128, 256, 512>,
                         Stack<stack{.inputs = 16, .channels = 8, .head = 1, .head_bias = true}, Tanh, 1, 2, 4, 8, 16,
                               32, 64, 128, 256, 512>>;

/// An LSTM layer whose first states are parameters.
/// shape   (N, T, In) -> (N, T, Hidden); weight (In + Hidden, 4 Hidden), for input and state; bias (4 Hidden), with the
///         gates in the order i, f, g, o; initial_h, initial_c (Hidden)
/// errors  another number of features does not compile
/// saves   the states and the gates
/// gradient  that of its formula, through all steps
/// source  https://github.com/sdatkinson/NeuralAmpModelerCore, NAM/lstm.cpp
template <int In, int Hidden>
struct LSTMLayer {
  nn::detail::recurrent_parameter<Hidden, In + Hidden, 4 * Hidden> weight{};
  nn::detail::recurrent_parameter<Hidden, 4 * Hidden> bias{};
  nn::detail::recurrent_parameter<Hidden, Hidden> initial_h{}, initial_c{};
  ESPALIER_MODULE(LSTMLayer, weight, bias, initial_h, initial_c)
  static constexpr axis_order in_pytorch(char const*, extents const& shape) {
    return nn::detail::recurrent_order(shape);
  }

  constexpr auto forward(auto x) const {
    using X = decltype(x);
    if constexpr (is_invalid<X>) {
      return x;
    } else if constexpr (!sequence_input<In, shape_of<X>>::agree) {
      return invalid<sequence_input<In, shape_of<X>>>{};
    } else {
      auto const projected = nn::detail::projected_gates<Hidden, 4>(permute<1, 0, 2>(x), slice<0, 0, In>(weight), bias);
      auto const step = [&, of_state = slice<0, In, In + Hidden>(weight)](auto const& state, auto const& gates) {
        auto const& [h, c] = state;
        return nn::detail::lstm_step(nn::detail::sums_of_gates<Hidden, 4>(gates, h, of_state), c);
      };
      using State = shape<shape_of<X>::value.at[0], Hidden>;
      auto const all =
          scan(step, std::tuple{broadcast_to<State>(initial_h), broadcast_to<State>(initial_c)}, projected);
      return permute<1, 0, 2>(std::get<1>(all));
    }
  }
};

/// The net of LSTM files: layers, and a head for each sample.
/// shape   (N, T, In) -> (N, T, 1)
/// range   In, Hidden and Layers at least 1
/// errors  other numbers, and another number of features, do not compile
/// saves   what the layers save
/// gradient  that of its formula, through all steps
/// source  as of LSTMLayer
template <int Hidden, int Layers, int In>
struct LSTM {
  static constexpr bool numbers_fit = Hidden >= 1 && Layers >= 1 && In >= 1;
  static constexpr int features = numbers_fit ? Hidden : 1;
  LSTMLayer<numbers_fit ? In : 1, features> first = nn::detail::numbers_reported<number_report::report()>{};
  std::array<LSTMLayer<features, features>, static_cast<std::size_t>(numbers_fit ? Layers - 1 : 0)> later{};
  Linear<features, 1> head{};
  ESPALIER_MODULE(LSTM, first, later, head)

  constexpr auto forward(auto x) const {
    auto y = first(x);
    if constexpr (!is_invalid<decltype(y)>)
      for (auto const& layer : later) y = layer(y);
    return head(y);
  }

  static constexpr char const* nam_architecture = "LSTM";
  static constexpr bool has_nam_form = true;
  template <class Visit>
  static void visit_nam_config(Visit&& visit) {
    visit(-1, "input_size", In);
    visit(-1, "hidden_size", Hidden);
    visit(-1, "num_layers", Layers);
  }

  /// Reports numbers that do not fit, for a root of the net.
  struct number_report {
    static constexpr auto report() {
      static_assert(numbers_fit,
                    ESPALIER_SENTENCE("nn::nam::LSTM<hidden, layers, in>: all numbers must be at least 1",
                                      ESPALIER_STATED(numbers_fit, ESPALIER_NAMED("hidden", Hidden),
                                                      ESPALIER_NAMED("layers", Layers), ESPALIER_NAMED("in", In))));
      return true;
    }
  };
};

}  // namespace espalier::nn::nam
#include "../base/diagnostics_pop.hpp"
