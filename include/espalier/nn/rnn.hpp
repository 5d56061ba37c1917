// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "../base/options_argument.hpp"
#include "../operation/relu.hpp"
#include "../operation/tanh.hpp"
#include "recurrent.hpp"

namespace espalier::nn {

/// The function of an RNN's next state.
enum class nonlinearity { tanh, relu };

/// Options of RNNCell.
struct rnn_cell {
  bool bias = true;
  nn::nonlinearity nonlinearity = nonlinearity::tanh;
};
/// The template parameter of layers with these options.
struct rnn_cell_argument : rnn_cell {
  ESPALIER_OPTIONS_ARGUMENT(rnn_cell) {
    static_assert(espalier::detail::is_options<X>,
                  "options have names: write nn::RNNCell<in, hidden, nn::rnn_cell{.bias = false}>");
  }
};

/// One step of an RNN: forward(x, h) is h' = tanh(x weight_ih + bias_ih + h weight_hh + bias_hh); forward(x) starts
/// from h = 0.
/// shape   (N, In), (N, Hidden) -> (N, Hidden); weight_ih (In, Hidden), weight_hh (Hidden, Hidden), biases (Hidden)
/// start   all parameters uniform in [-b, b), b = sqrt(1 / Hidden)
/// errors  another number of features and a state of another shape do not compile
/// saves   x, h and h'
/// gradient  that of its formula
/// source  Elman 1990; needle's RNNCell
template <int In, int Hidden, rnn_cell_argument Options = rnn_cell{}, auto Behind = nullptr>
  requires(espalier::detail::nothing_behind_options<Options.are_options, Behind>())
struct RNNCell {
  static constexpr bool options_fit = espalier::detail::options_fit<Options.are_options, Behind>;
  static constexpr bool numbers_fit = In >= 1 && Hidden >= 1;
  static constexpr int input_features = In, state_features = Hidden, state_count = 1;
  detail::recurrent_parameter<Hidden, In, Hidden> weight_ih = nn::detail::numbers_reported<number_report::report()>{};
  detail::recurrent_parameter<Hidden, Hidden, Hidden> weight_hh{};
  detail::recurrent_bias<Options.bias, Hidden, 1> bias_ih{};
  detail::recurrent_bias<Options.bias, Hidden, 1> bias_hh{};
  ESPALIER_MODULE(RNNCell, weight_ih, weight_hh, bias_ih, bias_hh)
  using takes_single_value_first = void;
  static constexpr axis_order in_pytorch(char const*, extents const& shape) { return detail::recurrent_order(shape); }

  constexpr auto forward(auto x) const { return detail::first_state(*this, x); }
  constexpr auto forward(auto x, auto h) const { return detail::next_state(*this, x, h); }

  /// The part of the formula that does not depend on h.
  constexpr auto projected(auto const& x) const {
    if constexpr (Options.bias) return matmul(x, weight_ih) + (bias_ih + bias_hh);
    else return matmul(x, weight_ih);
  }
  constexpr auto step() const {
    return [weight = weight_hh](auto const& h, auto const& x) {
      auto const next = activated(x + matmul(h, weight));
      return std::tuple{next, next};
    };
  }

  /// Reports numbers that do not fit, for a root of the net.
  struct number_report {
    static constexpr auto report() {
      static_assert(numbers_fit, ESPALIER_SENTENCE("nn::RNNCell<in, hidden>: in and hidden must be at least 1",
                                                   ESPALIER_STATED(numbers_fit, ESPALIER_NAMED("in", In),
                                                                   ESPALIER_NAMED("hidden", Hidden))));
      return true;
    }
  };

 private:
  static constexpr auto activated(auto const& x) {
    if constexpr (Options.nonlinearity == nonlinearity::relu) return relu(x);
    else return tanh(x);
  }
};

/// Options of RNN. Without batch_first, sequences are (steps, batch, features).
/// range   layers >= 1; dropout in [0, 1), between layers
struct rnn {
  int layers = 1;
  bool bidirectional = false;
  bool batch_first = false;
  bool bias = true;
  double dropout = 0;
  nn::nonlinearity nonlinearity = nonlinearity::tanh;
};
/// The template parameter of layers with these options.
struct rnn_argument : rnn {
  ESPALIER_OPTIONS_ARGUMENT(rnn) {
    static_assert(espalier::detail::is_options<X>,
                  "options have names: write nn::RNN<in, hidden, nn::rnn{.layers = 2}>");
  }
};

/// A layer of RNNCells along a sequence, or several, each of which reads the outputs of the one before it.
/// forward(x, h) and forward(x), which starts from h = 0, return std::tuple{outputs, last h}. forward(x, h, count) and
/// forward(x, count) run the first `count` steps: outputs behind them are 0, and the last h is that after them. The
/// other direction begins at the last of them.
/// shape   (T, N, In), (L D, N, Hidden) -> (T, N, D Hidden), (L D, N, Hidden) for L layers in D directions;
///         batch_first: (N, T, In) -> (N, T, D Hidden). For layer l: weight_ih_l (features, Hidden), weight_hh_l (Hidden, Hidden),
///         bias_ih_l, bias_hh_l (Hidden), and the same with _reverse
/// start   as of RNNCell
/// range   count () or (1) of std::int32_t, from 0 to T
/// errors  another number of features, a state of another shape, no layers, and dropout outside [0, 1) or without a
///         second layer do not compile; a count outside of its range throws index_error
/// saves   the states
/// gradient  that of its formula, through all steps
/// source  needle's RNN; PyTorch's RNN
template <int In, int Hidden, rnn_argument Options = rnn{}, auto Behind = nullptr>
  requires(espalier::detail::nothing_behind_options<Options.are_options, Behind>())
struct RNN {
  static constexpr bool options_fit = espalier::detail::options_fit<Options.are_options, Behind>;
  static constexpr bool numbers_fit = In >= 1 && Hidden >= 1 && detail::in_range(detail::layers_of(Options));
  static constexpr rnn_cell cell_options{Options.bias, Options.nonlinearity};
  static constexpr int input_features = In, output_features = Hidden * (Options.bidirectional ? 2 : 1);
  static constexpr int state_count = 1, step_axis = Options.batch_first ? 1 : 0;
  using stack_type = detail::cell_stack<
      RNNCell<numbers_fit ? In : 1, numbers_fit ? Hidden : 1, cell_options>,
      RNNCell<numbers_fit ? Hidden*(Options.bidirectional ? 2 : 1) : 1, numbers_fit ? Hidden : 1, cell_options>,
      detail::layers_of(Options)>;
  stack_type cells = nn::detail::numbers_reported<number_report::report()>{};
  ESPALIER_RECURRENT_MODULE

  constexpr auto forward(auto x) const { return cells.run(x); }
  constexpr auto forward(auto x, auto h) const { return cells.run(x, h); }
  constexpr auto forward(auto x, auto h, auto count) const { return cells.run(x, h, count); }

  /// Reports numbers that do not fit, for a root of the net.
  struct number_report {
    static constexpr auto report() {
      static_assert(numbers_fit, ESPALIER_SENTENCE("nn::RNN<in, hidden, rnn>: " ESPALIER_RECURRENT_RANGE,
                                                   ESPALIER_RECURRENT_NUMBERS(numbers_fit)));
      return true;
    }
  };
};

}  // namespace espalier::nn
#include "../base/diagnostics_pop.hpp"
