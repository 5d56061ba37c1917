// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "../base/options_argument.hpp"
#include "../operation/sigmoid.hpp"
#include "../operation/subtract.hpp"
#include "../operation/tanh.hpp"
#include "recurrent.hpp"

namespace espalier::nn {

/// Options of GRUCell. With reset_after, the reset gate multiplies the product of the state (PyTorch, cuDNN, Keras'
/// default); without it, the state (Cho 2014).
struct gru_cell {
  bool bias = true;
  bool reset_after = true;
};
/// The template parameter of layers with these options.
struct gru_cell_argument : gru_cell {
  ESPALIER_OPTIONS_ARGUMENT(gru_cell) {
    static_assert(espalier::detail::is_options<X>,
                  "options have names: write nn::GRUCell<in, hidden, nn::gru_cell{.bias = false}>");
  }
};

/// One step of a GRU: forward(x, h) is h'; forward(x) starts from h = 0.
///   r, z, n = the three parts of x weight_ih + bias_ih, and u, v, w those of h weight_hh + bias_hh
///   r = sigmoid(r + u), z = sigmoid(z + v), n = tanh(n + r w), h' = (1 - z) n + z h
/// Without reset_after, w is the third part of (r h) weight_hh + bias_hh, and n = tanh(n + w).
/// shape   (N, In), (N, Hidden) -> (N, Hidden); weight_ih (In, 3 Hidden), weight_hh (Hidden, 3 Hidden), biases
///         (3 Hidden), with the gates in the order r, z, n
/// start   all parameters uniform in [-b, b), b = sqrt(1 / Hidden)
/// errors  another number of features and a state of another shape do not compile
/// saves   x, h and the gates
/// gradient  that of its formula
/// source  Cho et al. 2014; PyTorch's GRUCell
template <int In, int Hidden, gru_cell_argument Options = gru_cell{}, auto Behind = nullptr>
  requires(espalier::detail::nothing_behind_options<Options.are_options, Behind>())
struct GRUCell {
  static constexpr bool options_fit = espalier::detail::options_fit<Options.are_options, Behind>;
  static constexpr bool numbers_fit = In >= 1 && Hidden >= 1;
  static constexpr int input_features = In, state_features = Hidden, state_count = 1;
  detail::recurrent_parameter<Hidden, In, 3 * Hidden> weight_ih =
      nn::detail::numbers_reported<number_report::report()>{};
  detail::recurrent_parameter<Hidden, Hidden, 3 * Hidden> weight_hh{};
  detail::recurrent_bias<Options.bias, Hidden, 3> bias_ih{};
  detail::recurrent_bias<Options.bias, Hidden, 3> bias_hh{};
  ESPALIER_MODULE(GRUCell, weight_ih, weight_hh, bias_ih, bias_hh)
  using takes_single_value_first = void;
  static constexpr axis_order in_pytorch(char const*, extents const& shape) { return detail::recurrent_order(shape); }
  /// Gates z, r, h; with reset_after, the rows of one tensor are the two biases.
  static constexpr keras_layer in_keras() {
    constexpr keras_member gates{.gates = 3, .gate = {1, 0, 2}};
    keras_member bias = gates;
    keras_layer r = keras_layer{"gru", Hidden}.add("weight_ih", gates).add("weight_hh", gates);
    if constexpr (Options.bias && !Options.reset_after) {
      r.add("bias_ih", bias).add_zeros("bias_hh");
    } else if constexpr (Options.bias) {
      bias.rows = 2;
      r.add("bias_ih", bias);
      bias.row = 1;
      r.add("bias_hh", bias);
    }
    return r;
  }

  constexpr auto forward(auto x) const { return detail::first_state(*this, x); }
  constexpr auto forward(auto x, auto h) const { return detail::next_state(*this, x, h); }

  /// The part of the formula that does not depend on h, by gate.
  constexpr auto projected(auto const& x) const {
    if constexpr (is_one_product<decltype(x)>) {
      if constexpr (Options.bias) return matmul(x, weight_ih) + bias_ih;
      else return matmul(x, weight_ih);
    } else if constexpr (Options.bias && !Options.reset_after) {
      return detail::split_gates<Hidden, 3>(matmul(x, weight_ih) + (bias_ih + bias_hh));
    } else if constexpr (Options.bias) {
      auto const [r, z, n] = detail::split_gates<Hidden, 3>(matmul(x, weight_ih) + bias_ih);
      auto const [u, v, w] = detail::split_gates<Hidden, 3>(bias_hh);
      static_cast<void>(w);  // inside the product with the reset gate
      return std::tuple{r + u, z + v, n};
    } else {
      return detail::split_gates<Hidden, 3>(matmul(x, weight_ih));
    }
  }
  constexpr auto step() const {
    return [weight = weight_hh, bias = bias_hh](auto const& h, auto const& x) {
      auto const y = next(h, x, weight, bias);
      return std::tuple{y, y};
    };
  }

  /// Reports numbers that do not fit, for a root of the net.
  struct number_report {
    static constexpr auto report() {
      static_assert(numbers_fit, ESPALIER_SENTENCE("nn::GRUCell<in, hidden>: in and hidden must be at least 1",
                                                   ESPALIER_STATED(numbers_fit, ESPALIER_NAMED("in", In),
                                                                   ESPALIER_NAMED("hidden", Hidden))));
      return true;
    }
  };

 private:
  /// With a reset gate inside the product, the candidate has a product of its own.
  template <class X>
  static constexpr bool is_one_product = Options.reset_after&& detail::has_one_row<X>;

  static constexpr auto next(auto const& h, auto const& x, auto const& weight, auto const& bias) {
    if constexpr (is_one_product<decltype(h)>) {
      auto const a = detail::split_gates<Hidden, 3>(x);
      auto const b = detail::split_gates<Hidden, 3>(product(h, weight, bias));
      auto const r = sigmoid(std::get<0>(a) + std::get<0>(b)), z = sigmoid(std::get<1>(a) + std::get<1>(b));
      return mixed(h, z, tanh(std::get<2>(a) + r * std::get<2>(b)));
    } else {
      auto const weights = detail::split_gates<Hidden, 3>(weight);
      auto const r = sigmoid(std::get<0>(x) + matmul(h, std::get<0>(weights)));
      auto const z = sigmoid(std::get<1>(x) + matmul(h, std::get<1>(weights)));
      return mixed(h, z, tanh(std::get<2>(x) + candidate(h, r, std::get<2>(weights), bias)));
    }
  }
  static constexpr auto mixed(auto const& h, auto const& z, auto const& n) { return (1 - z) * n + z * h; }
  static constexpr auto product(auto const& h, auto const& weight, auto const& bias) {
    if constexpr (Options.bias) return matmul(h, weight) + bias;
    else return matmul(h, weight);
  }
  static constexpr auto candidate(auto const& h, auto const& r, auto const& weight, auto const& bias) {
    if constexpr (!Options.reset_after) return matmul(r * h, weight);
    else if constexpr (Options.bias) return r * (matmul(h, weight) + detail::gate_columns<Hidden, 2>(bias));
    else return r * matmul(h, weight);
  }
};

/// Options of GRU. Without batch_first, sequences are (steps, batch, features). reset_after: as of GRUCell
/// range   layers >= 1; dropout in [0, 1), between layers
struct gru {
  int layers = 1;
  bool bidirectional = false;
  bool batch_first = false;
  bool bias = true;
  double dropout = 0;
  bool reset_after = true;
};
/// The template parameter of layers with these options.
struct gru_argument : gru {
  ESPALIER_OPTIONS_ARGUMENT(gru) {
    static_assert(espalier::detail::is_options<X>,
                  "options have names: write nn::GRU<in, hidden, nn::gru{.layers = 2}>");
  }
};

/// A layer of GRUCells along a sequence, or several, each of which reads the outputs of the one before it.
/// forward(x, h) and forward(x), which starts from h = 0, return std::tuple{outputs, last h}. forward(x, h, count) and
/// forward(x, count) run the first `count` steps: outputs behind them are 0, and the last h is that after them. The
/// other direction begins at the last of them.
/// shape   (T, N, In), (L D, N, Hidden) -> (T, N, D Hidden), (L D, N, Hidden) for L layers in D directions;
///         batch_first: (N, T, In) -> (N, T, D Hidden). For layer l: weight_ih_l (features, 3 Hidden), weight_hh_l
///         (Hidden, 3 Hidden), bias_ih_l, bias_hh_l (3 Hidden), and the same with _reverse
/// start   as of GRUCell
/// range   count () or (1) of std::int32_t, from 0 to T
/// errors  another number of features, a state of another shape, no layers, and dropout outside [0, 1) or without a
///         second layer do not compile; a count outside of its range throws index_error
/// saves   the states and the gates
/// gradient  that of its formula, through all steps
/// source  PyTorch's GRU
template <int In, int Hidden, gru_argument Options = gru{}, auto Behind = nullptr>
  requires(espalier::detail::nothing_behind_options<Options.are_options, Behind>())
struct GRU {
  static constexpr bool options_fit = espalier::detail::options_fit<Options.are_options, Behind>;
  static constexpr bool numbers_fit = In >= 1 && Hidden >= 1 && detail::in_range(detail::layers_of(Options));
  static constexpr gru_cell cell_options{Options.bias, Options.reset_after};
  static constexpr int input_features = In, output_features = Hidden * (Options.bidirectional ? 2 : 1);
  static constexpr int state_count = 1, step_axis = Options.batch_first ? 1 : 0;
  using stack_type = detail::cell_stack<
      GRUCell<numbers_fit ? In : 1, numbers_fit ? Hidden : 1, cell_options>,
      GRUCell<numbers_fit ? Hidden*(Options.bidirectional ? 2 : 1) : 1, numbers_fit ? Hidden : 1, cell_options>,
      detail::layers_of(Options)>;
  stack_type cells = nn::detail::numbers_reported<number_report::report()>{};
  ESPALIER_RECURRENT_MODULE

  constexpr auto forward(auto x) const { return cells.run(x); }
  constexpr auto forward(auto x, auto h) const { return cells.run(x, h); }
  constexpr auto forward(auto x, auto h, auto count) const { return cells.run(x, h, count); }

  /// Reports numbers that do not fit, for a root of the net.
  struct number_report {
    static constexpr auto report() {
      static_assert(numbers_fit, ESPALIER_SENTENCE("nn::GRU<in, hidden, gru>: " ESPALIER_RECURRENT_RANGE,
                                                   ESPALIER_RECURRENT_NUMBERS(numbers_fit)));
      return true;
    }
  };
};

}  // namespace espalier::nn
#include "../base/diagnostics_pop.hpp"
