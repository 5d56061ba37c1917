// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "../base/options_argument.hpp"
#include "../operation/sigmoid.hpp"
#include "../operation/tanh.hpp"
#include "recurrent.hpp"

namespace espalier::nn {

namespace detail {
/// std::tuple{std::tuple{h', c'}, h'} of the sums of the gates, as a tuple.
constexpr auto lstm_step(auto const& sums, auto const& c) {
  auto const i = sigmoid(std::get<0>(sums)), f = sigmoid(std::get<1>(sums));
  auto const g = tanh(std::get<2>(sums));
  auto const o = sigmoid(std::get<3>(sums));
  auto const next_c = f * c + i * g;
  auto const next_h = o * tanh(next_c);
  return std::tuple{std::tuple{next_h, next_c}, next_h};
}
}  // namespace detail

/// Options of LSTMCell.
struct lstm_cell {
  bool bias = true;
};
/// The template parameter of layers with these options.
struct lstm_cell_argument : lstm_cell {
  ESPALIER_OPTIONS_ARGUMENT(lstm_cell) {
    static_assert(espalier::detail::is_options<X>,
                  "options have names: write nn::LSTMCell<in, hidden, nn::lstm_cell{.bias = false}>");
  }
};

/// One step of an LSTM. forward(x, std::tuple{h, c}) is std::tuple{h', c'}; forward(x) starts from zeros, and
/// forward(x, h, c) is forward(x, std::tuple{h, c}).
///   i, f, g, o = the four parts of x weight_ih + bias_ih + h weight_hh + bias_hh
///   c' = sigmoid(f) c + sigmoid(i) tanh(g), h' = sigmoid(o) tanh(c')
/// shape   (N, In), (N, Hidden), (N, Hidden) -> (N, Hidden), (N, Hidden); weight_ih (In, 4 Hidden), weight_hh
///         (Hidden, 4 Hidden), biases (4 Hidden), with the gates in the order i, f, g, o
/// start   all parameters uniform in [-b, b), b = sqrt(1 / Hidden)
/// errors  another number of features, and a state of other shapes or another number of values do not compile
/// saves   x, h, c, the gates and tanh(c')
/// gradient  that of its formula
/// source  Hochreiter and Schmidhuber 1997; Gers, Schmidhuber and Cummins 2000; needle's LSTMCell
template <int In, int Hidden, lstm_cell_argument Options = lstm_cell{}, auto Behind = nullptr>
  requires(espalier::detail::nothing_behind_options<Options.are_options, Behind>())
struct LSTMCell {
  static constexpr bool options_fit = espalier::detail::options_fit<Options.are_options, Behind>;
  static constexpr bool numbers_fit = In >= 1 && Hidden >= 1;
  static constexpr int input_features = In, state_features = Hidden, state_count = 2;
  detail::recurrent_parameter<Hidden, In, 4 * Hidden> weight_ih =
      nn::detail::numbers_reported<number_report::report()>{};
  detail::recurrent_parameter<Hidden, Hidden, 4 * Hidden> weight_hh{};
  detail::recurrent_bias<Options.bias, Hidden, 4> bias_ih{};
  detail::recurrent_bias<Options.bias, Hidden, 4> bias_hh{};
  ESPALIER_MODULE(LSTMCell, weight_ih, weight_hh, bias_ih, bias_hh)
  using takes_single_value_first = void;
  static constexpr axis_order in_pytorch(char const*, extents const& shape) { return detail::recurrent_order(shape); }
  static constexpr keras_layer in_keras() {
    keras_layer r = keras_layer{"lstm", Hidden}.add("weight_ih").add("weight_hh");
    if constexpr (Options.bias) r.add("bias_ih").add_zeros("bias_hh");
    return r;
  }

  template <std::size_t Inputs>
  static constexpr auto results_of_invalid(auto found) {
    return detail::invalid_state<state_count>(found);
  }
  constexpr auto forward(auto x) const { return detail::first_state(*this, x); }
  constexpr auto forward(auto x, auto state) const { return detail::next_state(*this, x, state); }
  constexpr auto forward(auto x, auto h, auto c) const { return detail::next_state(*this, x, std::tuple{h, c}); }

  /// The part of the formula that does not depend on h and c, by gate.
  constexpr auto projected(auto const& x) const {
    if constexpr (Options.bias) return detail::projected_gates<Hidden, 4>(x, weight_ih, bias_ih + bias_hh);
    else return detail::projected_gates<Hidden, 4>(x, weight_ih);
  }
  constexpr auto step() const {
    return [weight = weight_hh](auto const& state, auto const& x) {
      auto const& [h, c] = state;
      return detail::lstm_step(detail::sums_of_gates<Hidden, 4>(x, h, weight), c);
    };
  }

  /// Reports numbers that do not fit, for a root of the net.
  struct number_report {
    static constexpr auto report() {
      static_assert(numbers_fit, ESPALIER_SENTENCE("nn::LSTMCell<in, hidden>: in and hidden must be at least 1",
                                                   ESPALIER_STATED(numbers_fit, ESPALIER_NAMED("in", In),
                                                                   ESPALIER_NAMED("hidden", Hidden))));
      return true;
    }
  };
};

/// Options of LSTM. Without batch_first, sequences are (steps, batch, features).
/// range   layers >= 1; dropout in [0, 1), between layers
struct lstm {
  int layers = 1;
  bool bidirectional = false;
  bool batch_first = false;
  bool bias = true;
  double dropout = 0;
};
/// The template parameter of layers with these options.
struct lstm_argument : lstm {
  ESPALIER_OPTIONS_ARGUMENT(lstm) {
    static_assert(espalier::detail::is_options<X>,
                  "options have names: write nn::LSTM<in, hidden, nn::lstm{.layers = 2}>");
  }
};

/// A layer of LSTMCells along a sequence, or several, each of which reads the outputs of the one before it.
/// forward(x, std::tuple{h, c}) and forward(x), which starts from zeros, return std::tuple{outputs, std::tuple{h, c}}
/// with the last h and c. forward(x, h, c) returns std::tuple{outputs, h, c}. With a count as the last argument, each
/// runs the first `count` steps: outputs behind them are 0, and h and c are those after them. The other direction
/// begins at the last of them.
/// shape   (T, N, In), twice (L D, N, Hidden) -> (T, N, D Hidden), twice (L D, N, Hidden) for L layers in D directions;
///         batch_first: (N, T, In) -> (N, T, D Hidden). For layer l: weight_ih_l (features, 4 Hidden), weight_hh_l
///         (Hidden, 4 Hidden), bias_ih_l, bias_hh_l (4 Hidden), and the same with _reverse
/// start   as of LSTMCell
/// range   count () or (1) of std::int32_t, from 0 to T
/// errors  another number of features, a state of other shapes, no layers, and dropout outside [0, 1) or without a
///         second layer do not compile; a count outside of its range throws index_error
/// saves   the states and the gates
/// gradient  that of its formula, through all steps
/// source  needle's LSTM; PyTorch's LSTM
template <int In, int Hidden, lstm_argument Options = lstm{}, auto Behind = nullptr>
  requires(espalier::detail::nothing_behind_options<Options.are_options, Behind>())
struct LSTM {
  static constexpr bool options_fit = espalier::detail::options_fit<Options.are_options, Behind>;
  static constexpr bool numbers_fit = In >= 1 && Hidden >= 1 && detail::in_range(detail::layers_of(Options));
  static constexpr lstm_cell cell_options{Options.bias};
  static constexpr int input_features = In, output_features = Hidden * (Options.bidirectional ? 2 : 1);
  static constexpr int state_count = 2, step_axis = Options.batch_first ? 1 : 0;
  using stack_type = detail::cell_stack<
      LSTMCell<numbers_fit ? In : 1, numbers_fit ? Hidden : 1, cell_options>,
      LSTMCell<numbers_fit ? Hidden*(Options.bidirectional ? 2 : 1) : 1, numbers_fit ? Hidden : 1, cell_options>,
      detail::layers_of(Options)>;
  stack_type cells = nn::detail::numbers_reported<number_report::report()>{};
  ESPALIER_RECURRENT_MODULE

  constexpr auto forward(auto x) const { return cells.run(x); }
  constexpr auto forward(auto x, auto state) const { return cells.run(x, state); }
  constexpr auto forward(auto x, auto h, auto c) const {
    if constexpr (detail::is_count<decltype(c)>) return cells.run(x, h, c);
    else return three_values(cells.run(x, std::tuple{h, c}));
  }
  constexpr auto forward(auto x, auto h, auto c, auto count) const {
    return three_values(cells.run(x, std::tuple{h, c}, count));
  }

  /// Reports numbers that do not fit, for a root of the net.
  struct number_report {
    static constexpr auto report() {
      static_assert(numbers_fit, ESPALIER_SENTENCE("nn::LSTM<in, hidden, lstm>: " ESPALIER_RECURRENT_RANGE,
                                                   ESPALIER_RECURRENT_NUMBERS(numbers_fit)));
      return true;
    }
  };

 private:
  static constexpr auto three_values(auto const& all) {
    if constexpr (is_invalid<std::remove_cvref_t<decltype(all)>>) return all;
    else return std::tuple{std::get<0>(all), std::get<0>(std::get<1>(all)), std::get<1>(std::get<1>(all))};
  }
};

}  // namespace espalier::nn
#include "../base/diagnostics_pop.hpp"
