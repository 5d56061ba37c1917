// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "support/recurrent.hpp"
#include "support/stream.hpp"

namespace conformance {

namespace detail {

template <class Case>
struct streamed_options : recurrent_options<Case> {
  static constexpr bool batch_first = true;
};
/// The recurrent layers of a case, for signals (1, T, In).
template <class Case, int In>
using streamed_layers = std::conditional_t<
    attribute_is<Case, "cell", "lstm">, lstm_layers<Case, In, streamed_options<Case>>,
    std::conditional_t<attribute_is<Case, "cell", "gru">, gru_layers<Case, In, streamed_options<Case>>,
                       rnn_layers<Case, In, streamed_options<Case>>>>;

/// dense(h), or dense(h) + the first channel of x.
template <class Layers, int Hidden, int Out, bool Skip>
struct recurrent_and_dense {
  nn::Outputs<Layers> layers{};
  nn::Linear<Hidden, Out> out{};
  ESPALIER_MODULE(recurrent_and_dense, layers, out)
  constexpr auto forward(auto x) const {
    auto const y = out(layers(x));
    if constexpr (Skip) return y + esp::slice<2, 0, 1>(x);
    else return y;
  }
};

/// Fills the parameters of recurrent layers and of the dense layer behind them. before: the path of the layers.
template <class Case, class Net, class T>
void read_recurrent_and_dense(case_run& run, esp::model<Net, esp::cpu, T>& model, std::string_view before) {
  auto const exchanged = transposed_parameters<Case, Net>();
  std::size_t number = 0;
  model.for_each_parameter([&](std::string_view name, esp::extents const& shape, auto values) {
    bool const exchange = exchanged[number++];
    bool const of_layers = name.substr(0, before.size()) == before;
    if (!of_layers && name.substr(0, 4) != "out.") return;
    std::vector<T> given(static_cast<std::size_t>(values.size()));
    run.read(role::parameter, of_layers ? name.substr(before.size()) : name, std::span<T>{given});
    if (exchange) given = transposed(std::span<T const>{given}, shape.at[1], shape.at[0]);
    for (std::size_t i = 0; i < given.size(); ++i) values[static_cast<std::int64_t>(i)] = given[i];
  });
}

}  // namespace detail

/// Recurrent layers, fed block by block. A saved state has h of each layer, or h and c.
template <class Case, class T>
void check_recurrent_stream(case_run& run) {
  using X = input_shape<Case>;
  using Options = recurrent_options<Case>;
  constexpr int in = X::template extent<1>(), hidden = Options::hidden, layers = Options::layers;
  constexpr int out = shape_of<typename Case::parameters, "out.weight">::template extent<0>();
  constexpr int kinds = attribute_is<Case, "cell", "lstm"> ? 2 : 1;
  using Net = detail::recurrent_and_dense<detail::streamed_layers<Case, in>, hidden, out,
                                          attribute_or<Case, "skip", bool>(false)>;
  esp::model<Net, esp::cpu, T> model;
  detail::read_recurrent_and_dense<Case>(run, model, "layers.");
  esp::tensor<T, X> x;
  run.read(role::input, "x", as_span<T>(x));
  esp::tensor<T, esp::shape<X::template extent<0>(), out>> y;
  stream_states<T> const states = feed<Case, T>(model, x, y);
  report_result(run, "y", y);
  auto const report = [&](char const* name, std::vector<T> const& state, int kind) {
    esp::tensor<T, esp::shape<layers, hidden>> h;
    for (int l = 0; l < layers; ++l)
      for (int i = 0; i < hidden; ++i) h(l, i) = state[static_cast<std::size_t>((l * kinds + kind) * hidden + i)];
    report_result(run, name, h);
  };
  report("hn", states.last, 0);
  if (kinds == 2) report("cn", states.last, 1);
  report("h_after_block0", states.first, 0);
}

}  // namespace conformance
