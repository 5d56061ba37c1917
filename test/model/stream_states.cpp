// SPDX-License-Identifier: BSL-1.0
// A stream begins with the initial states of the net's loops, whatever they are computed from. Its results are those of
// the whole sequence.
#define BOOST_TEST_MODULE model_stream_states
#include <boost/test/unit_test.hpp>

#include <array>

#include <espalier/nn/nam.hpp>
#include <espalier/stream.hpp>

#include "support/longer_run.hpp"
#include "support/nets.hpp"

using namespace test;
using esp::shape, esp::tensor;

// Not an unnamed namespace: without optimisation, g++ emits the plans of all nets with internal linkage, 2 GB in all.
namespace stream_states {

constexpr int steps = 64;
using any = nn::init::initialized_by<nn::init::uniform{-1, 1}>;

/// h = tanh(x + h w), which begins with what Start computes: a value of shape S.
template <class Start, int Width = 2>
struct Recurrence {
  esp::parameter<shape<Width, Width>, any> w{};
  esp::parameter<shape<Width>, any> first{};
  esp::buffer<shape<Width>, nn::init::initialized_by<nn::init::ones{}>> kept{};
  ESPALIER_MODULE(Recurrence, w, first, kept)
  constexpr auto forward(auto x) const {
    auto const step = [&](auto const& h, auto const& now) {
      auto const next = tanh(now + matmul(h, w));
      return std::tuple{next, next};
    };
    using State = shape<esp::shape_of<decltype(x)>::value.at[0], Width>;
    auto const all = esp::scan(step, Start::template state<State>(*this, x), esp::permute<1, 0, 2>(x));
    return esp::permute<1, 0, 2>(std::get<1>(all));
  }
};
struct Number {
  template <class S>
  static constexpr auto state(auto const&, auto const& x) {
    return esp::zeros<S>(x) - 0.5;
  }
};
inline constexpr tensor<double, shape<2>> table{0.25, -0.75};
struct Numbers {
  template <class S>
  static constexpr auto state(auto const& net, auto const& x) {
    return esp::zeros<S>(x) + table * net.kept;
  }
};
struct Learned {
  template <class S>
  static constexpr auto state(auto const& net, auto const&) {
    return esp::broadcast_to<S>(net.first);
  }
};
struct Kept {
  template <class S>
  static constexpr auto state(auto const& net, auto const&) {
    return esp::broadcast_to<S>(net.kept);
  }
};
struct Computed {
  template <class S>
  static constexpr auto state(auto const& net, auto const& x) {
    return esp::zeros<S>(x) + tanh(matmul(esp::unsqueeze<0>(esp::flip<0>(net.first)), net.w)) +
           esp::softmax<0>(net.first);
  }
};
struct Looped {
  template <class S>
  static constexpr auto state(auto const& net, auto const&) {
    return esp::repeat<3>([&](auto const& h) { return tanh(matmul(h, net.w)); }, esp::broadcast_to<S>(net.first));
  }
};

/// Layers with states of their own: one of them learned, one with a constant, one with zeros. In front of them is a
/// convolution of what a layer with a bias computes: its past is zeros.
struct Layers {
  nn::Linear<2, 3> first{};
  nn::Conv1d<3, 3, 3, nn::conv{.padding = {0, 2, 0, 0}, .layout = esp::nhwc}> conv{};
  nn::GRU<3, 4, nn::gru{.layers = 2, .batch_first = true}> gru{};
  nn::LSTM<4, 3, nn::lstm{.batch_first = true}> lstm{};
  nn::RNN<3, 2, nn::rnn{.batch_first = true}> rnn{};
  esp::parameter<shape<2, 1, 4>, any> of_gru{};
  esp::parameter<shape<3>, any> of_lstm{};
  ESPALIER_MODULE(Layers, first, conv, gru, lstm, rnn, of_gru, of_lstm)
  constexpr auto forward(auto x) const {
    constexpr int n = esp::shape_of<decltype(x)>::value.at[0];
    auto const y = std::get<0>(gru(conv(first(x)), esp::broadcast_to<shape<2, n, 4>>(of_gru)));
    using Cell = shape<1, n, 3>;
    auto const both = std::tuple{esp::broadcast_to<Cell>(tanh(of_lstm)), esp::zeros<Cell>(y) + 0.25};
    return std::get<0>(rnn(std::get<0>(lstm(y, both))));
  }
};

/// A state that no step changes, two that change places, and one that begins as another one does.
struct Exchanged {
  esp::parameter<shape<2>, any> a{}, b{};
  ESPALIER_MODULE(Exchanged, a, b)
  constexpr auto forward(auto x) const {
    auto const step = [](auto const& state, auto const& now) {
      auto const& [fixed, left, right, sum] = state;
      auto const next = 0.5 * sum + now * fixed;
      return std::tuple{std::tuple{fixed, right, left, next}, next + left};
    };
    using State = shape<esp::shape_of<decltype(x)>::value.at[0], 2>;
    auto const of_a = esp::broadcast_to<State>(a), of_b = esp::broadcast_to<State>(b);
    auto const all = esp::scan(step, std::tuple{of_a, of_b, of_a, of_a}, esp::permute<1, 0, 2>(x));
    return esp::permute<1, 0, 2>(std::get<1>(all));
  }
};

/// All results of a stream, for a sequence of (N, steps, C).
template <class Stream, class X>
auto streamed(Stream& stream, X const& x) {
  using In = typename Stream::input_shape;
  using Out = typename Stream::output_shape;
  using T = typename X::value_type;
  constexpr int n = In::value.at[0], length = In::value.at[1], in = In::value.at[2], out = Out::value.at[2];
  tensor<T, In> block;
  tensor<T, Out> result;
  tensor<T, shape<n, steps, out>> y;
  for (int t = 0; t < steps; t += length) {
    for (int k = 0; k < n * length * in; ++k) block[k] = x(k / (length * in), t + k / in % length, k % in);
    stream(block, result);
    for (int k = 0; k < n * length * out; ++k) y(k / (length * out), t + k / out % length, k % out) = result[k];
  }
  return y;
}
/// After construction, after reset(), and after reset() with other parameters.
template <int N, int Length, int In, class Model>
void check_blocks(Model& model) {
  using T = typename Model::value_type;
  auto const x = numbers<T, shape<N, steps, In>>(5);
  esp::stream stream{model, esp::batch<N, Length, In>{}};
  check_close("constructed", streamed(stream, x), model(x));
  stream.reset();
  check_close("reset", streamed(stream, x), model(x));
  for (T& p : model.parameters()) p = T(0.75) * p + T(0.0625);
  stream.reset();
  check_close("reset with other parameters", streamed(stream, x), model(x));
}
template <class Net, class T = double, int In = 2>
void check() {
  esp::model<Net, esp::cpu, T> model{esp::seed{7}};
  if constexpr (longer_run) {
    check_blocks<2, 1, In>(model);
    check_blocks<2, 4, In>(model);
  } else {
    check_blocks<1, 1, In>(model);
    check_blocks<1, 4, In>(model);
    check_blocks<1, 64, In>(model);
  }
}

}  // namespace stream_states
using namespace stream_states;

BOOST_AUTO_TEST_CASE(a_number) { check<Recurrence<Number>>(); }
BOOST_AUTO_TEST_CASE(a_tensor_of_numbers) { check<Recurrence<Numbers>>(); }
BOOST_AUTO_TEST_CASE_TEMPLATE(a_parameter, T, decltype(std::tuple<float, double>{})) {
  check<Recurrence<Learned>, T>();
}
BOOST_AUTO_TEST_CASE(a_buffer) { check<Recurrence<Kept>>(); }
BOOST_AUTO_TEST_CASE(a_formula_of_parameters) { check<Recurrence<Computed>>(); }
BOOST_AUTO_TEST_CASE(what_a_loop_computes) { check<Recurrence<Looped>>(); }
BOOST_AUTO_TEST_CASE(several_layers) { check<Layers>(); }
BOOST_AUTO_TEST_CASE(several_states) { check<Exchanged>(); }
BOOST_AUTO_TEST_CASE(nets_of_nam_files) { check<nn::nam::LSTM<3, 2>, double, 1>(); }

/// The state before the first step is that of the parameters at the last reset().
BOOST_AUTO_TEST_CASE(parameters_are_read_by_construction_and_reset) {
  esp::model<Recurrence<Learned>, esp::cpu, double> model{esp::seed{1}};
  auto const first = model.parameter("first").span();
  first[0] = 0.5, first[1] = -2;
  esp::stream stream{model, esp::batch<2, 4, 2>{}};
  auto const before = stream.save();
  BOOST_TEST((before == std::array{0.5, -2.0, 0.5, -2.0}));
  first[0] = 3;
  BOOST_TEST((stream.save() == before));
  stream.reset();
  BOOST_TEST((stream.save()[0] == 3 && stream.save()[1] == -2));
}

template <int N>
void check_saved_state() {
  esp::model<Layers, esp::cpu, double> model{esp::seed{2}};
  auto const x = numbers<double, shape<N, steps, 2>>(1);
  auto const whole = model(x);
  esp::stream four{model, esp::batch<N, 4, 2>{}}, another{model, esp::batch<N, 4, 2>{}};
  esp::stream one{model, esp::batch<N, 1, 2>{}};
  auto const begin = four.save();
  BOOST_TEST((another.save() == begin));
  BOOST_TEST((one.save() == begin));
  check_close("all steps", streamed(four, x), whole);
  BOOST_TEST((four.save() != begin));
  // a saved beginning is one, also behind other steps and in blocks of another length
  four.restore(begin), one.restore(begin);
  check_close("restored", streamed(four, x), whole);
  check_close("restored in steps", streamed(one, x), whole);
  another.restore(four.save());
  one.restore(four.save());
  auto const next = streamed(four, x);
  check_close("continued", streamed(another, x), next);
  check_close("continued in steps", streamed(one, x), next);
}
BOOST_AUTO_TEST_CASE(states_are_saved_and_restored) { check_saved_state<longer_run ? 1 : 2>(); }

/// The initial state of 48 numbers is a product; a step of one number has no use for so much workspace.
struct Wide {
  esp::parameter<shape<64, 64>, any> w{};
  esp::parameter<shape<1, 64>, any> first{};
  ESPALIER_MODULE(Wide, w, first)
  constexpr auto forward(auto x) const {
    auto const start = esp::slice<1, 0, 1>(matmul(tanh(matmul(tanh(matmul(first, w)), w)), w));
    auto const step = [](auto const& h, auto const& now) {
      auto const next = 0.5 * h + now;
      return std::tuple{next, next};
    };
    return esp::permute<1, 0, 2>(std::get<1>(esp::scan(step, start, esp::permute<1, 0, 2>(x))));
  }
};
BOOST_AUTO_TEST_CASE(the_workspace_holds_what_reset_computes) {
  esp::model<Wide, esp::cpu, double> model{esp::seed{1}};
  using Stream = decltype(esp::stream{model, esp::batch<1, 1, 1>{}});
  static_assert(Stream::workspace_bytes >= 64 * sizeof(double) && Stream::state_bytes == sizeof(double));
  struct {
    esp::bytes<Stream::bytes> room;
    unsigned char behind[64];
  } static memory{};
  esp::stream stream{model, esp::batch<1, 1, 1>{}, memory.room};
  auto const x = numbers<double, shape<1, steps, 1>>(1);
  for (int round = 0; round < 3; ++round, stream.reset()) check_close("blocks", streamed(stream, x), model(x));
  for (unsigned char const c : memory.behind) BOOST_TEST(c == 0);
}

BOOST_AUTO_TEST_CASE(zeros_cost_nothing) {
  using Plain = nn::Outputs<nn::GRU<2, 3, nn::gru{.batch_first = true}>>;
  static_assert(esp::detail::begins_with_zeros<Plain, esp::batch<1, 4, 2>, 1, 0>);
  static_assert(!esp::detail::begins_with_zeros<Layers, esp::batch<1, 4, 2>, 1, 0>);
  static_assert(noexcept(std::declval<esp::stream<esp::model<Layers>, esp::batch<1, 4, 2>>&>().reset()));
  esp::model<Plain> model{esp::seed{1}};
  esp::stream stream{model, esp::batch<1, 4, 2>{}};
  for (float const s : stream.save()) BOOST_TEST(s == 0);
}
