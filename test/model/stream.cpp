// SPDX-License-Identifier: BSL-1.0
// A stream gives, block by block, what a predictor gives for the whole sequence: for every form of net that has a rule,
// for steps, blocks and the whole sequence at once.
#define BOOST_TEST_MODULE model_stream
#include <boost/test/unit_test.hpp>

#include <espalier/stream.hpp>

#include "support/stream_blocks.hpp"

using namespace test;
using esp::shape, esp::tensor, esp::slice, esp::to_end;

namespace {

/// Without padding: Dilation (Kernel - 1) results fewer than steps.
template <int In, int Out, int Kernel, int Dilation = 1, esp::image_layout Layout = esp::nhwc>
using Valid = nn::Conv1d<In, Out, Kernel, nn::conv{.padding = 0, .dilation = Dilation, .layout = Layout}>;

using Stack = nn::Sequential<Causal<2, 8, 3>, nn::Tanh, nn::Residual<nn::Sequential<Causal<8, 8, 3, 2>, nn::Tanh>>,
                             nn::Residual<Causal<8, 8, 3, 4>>, nn::Linear<8, 2>>;

/// A gated unit: two convolutions of the same history, and a skip connection.
template <int C, int Dilation>
struct Gated {
  Causal<C, C, 2, Dilation> value{}, gate{};
  nn::Linear<C, C> mixed{}, skipped{};
  ESPALIER_MODULE(Gated, value, gate, mixed, skipped)
  constexpr auto unit(auto const& x) const { return tanh(value(x)) * sigmoid(gate(x)); }
};
struct WaveNet {
  nn::Linear<2, 6> first{};
  Gated<6, 1> a{};
  Gated<6, 2> b{};
  Gated<6, 4> c{};
  nn::Linear<6, 2> last{};
  ESPALIER_MODULE(WaveNet, first, a, b, c, last)
  constexpr auto forward(auto x) const {
    auto const x0 = first(x);
    auto const u = a.unit(x0);
    auto const x1 = x0 + a.mixed(u);
    auto const v = b.unit(x1);
    auto const x2 = x1 + b.mixed(v);
    return last(relu(a.skipped(u) + b.skipped(v) + c.skipped(c.unit(x2))));
  }
};
/// Convolutions without padding, whose residuals and skip connections drop the first steps.
struct Cropped {
  Valid<2, 6, 3> a{};
  Valid<6, 6, 3, 2> b{};
  nn::Linear<2, 6> skip{};
  nn::Linear<6, 2> last{};
  ESPALIER_MODULE(Cropped, a, b, skip, last)
  constexpr auto forward(auto x) const {
    auto const y = tanh(a(x));
    auto const z = slice<1, 4, to_end>(y) + tanh(b(y));
    return last(z + slice<1, 6, to_end>(skip(x)));
  }
};
/// Norms, softmax, means and gains over channels.
struct Channels {
  Causal<2, 8, 3> conv{};
  nn::LayerNorm1d<8> norm{};
  esp::parameter<shape<8>, nn::init::initialized_by<nn::init::uniform{-1, 1}>> gain{};
  nn::Linear<8, 2> last{};
  ESPALIER_MODULE(Channels, conv, norm, gain, last)
  constexpr auto forward(auto x) const {
    auto const y = norm(conv(x)) * exp(gain);
    return last(y + esp::softmax<2>(y) - mean<2>(y, esp::keepdims) + esp::gelu(y));
  }
};
/// Strides in convolutions and poolings, with and without padding in front.
struct Strided {
  Causal<2, 6, 3, 1, 2> a{};
  Causal<6, 6, 2> b{};
  nn::Linear<6, 2> last{};
  ESPALIER_MODULE(Strided, a, b, last)
  static constexpr esp::pooling in_front{.stride = {1, 1}, .padding = {0, 2, 0, 0}};
  constexpr auto forward(auto x) const {
    auto const y = tanh(a(x));
    auto const largest = squeeze<1>(esp::max_pool2d<esp::rows_columns{1, 3}, in_front>(unsqueeze<1>(y)));
    auto const mean = squeeze<1>(esp::average_pool2d<esp::rows_columns{1, 2}>(unsqueeze<1>(b(largest - y))));
    return last(mean);
  }
};
/// Channels second. A convolution that pads both sides, whose last results are cut off, and padding without a
/// convolution.
struct Second {
  nn::Conv1d<2, 6, 3, nn::conv{.padding = {0, 4, 0, 4}, .dilation = 2}> a{};
  Valid<6, 6, 4, 1, esp::nchw> b{};
  nn::Conv1d<6, 2, 1> last{};
  ESPALIER_MODULE(Second, a, b, last)
  constexpr auto forward(auto x) const {
    auto const y = tanh(slice<2, 0, -4>(a(x)));
    return last(b(esp::pad<0, 0, 0, 0, 3, 0>(y)) + y);
  }
};
/// A delay without a convolution, groups of channels and parts of channels.
struct Delayed {
  Causal<4, 4, 3, 1, 1, 2> grouped{};
  Causal<4, 2, 2> last{};
  ESPALIER_MODULE(Delayed, grouped, last)
  constexpr auto forward(auto x) const {
    auto const delayed = slice<1, 0, -5>(esp::pad<0, 0, 5, 0, 0, 0>(x));
    return last(tanh(grouped(esp::concatenate<2>(x, delayed))));
  }
};
/// A kernel for each channel, and two for each: sums of windows times kernels.
using OfEachChannel =
    nn::Sequential<Causal<2, 6, 3, 2, 1, 2>, nn::Tanh, nn::Residual<Causal<6, 6, 4, 1, 1, 6>>,
                   nn::Conv1d<6, 6, 3, nn::conv{.padding = 0, .groups = 6, .layout = esp::nhwc}>, nn::Linear<6, 2>>;
using OfEachChannelSecond =
    nn::Sequential<nn::Conv1d<2, 6, 3, nn::conv{.padding = {0, 2, 0, 0}, .groups = 2}>, nn::Tanh,
                   nn::Conv1d<6, 2, 3, nn::conv{.padding = {0, 2, 0, 0}, .groups = 2}>>;
/// The result is a delay: nothing is computed behind it.
struct Late {
  ESPALIER_MODULE(Late)
  constexpr auto forward(auto x) const { return esp::pad<0, 0, 5, 0, 0, 0>(slice<1, 0, -5>(x)); }
};
/// A delayed value that is read in two ways: by a convolution, behind zeros, and by a maximum, behind nothing.
struct LateMaximum {
  Late late{};
  Causal<2, 2, 3> conv{};
  ESPALIER_MODULE(LateMaximum, late, conv)
  static constexpr auto largest(auto x) {
    constexpr esp::pooling causal{.stride = 1, .padding = {2, 0, 0, 0}, .layout = esp::nhwc};
    return esp::squeeze<2>(esp::max_pool2d<esp::rows_columns{3, 1}, causal>(esp::unsqueeze<2>(x)));
  }
  constexpr auto forward(auto x) const {
    auto const y = late(tanh(x)), z = late(y);
    return conv(z) * largest(z) + largest(y) + conv(y) + y;
  }
};
/// Rows of one matrix for all streams and steps.
struct Rows {
  Causal<2, 4, 2> conv{};
  nn::Linear<4, 2> last{};
  ESPALIER_MODULE(Rows, conv, last)
  constexpr auto forward(auto x) const {
    auto const y = conv(x);
    constexpr esp::extents s = esp::shape_of<decltype(y)>::value;
    return esp::reshape<s.at[0], s.at[1], 2>(last(tanh(esp::reshape<-1, 4>(y))));
  }
};

/// A convolution, recurrent layers of two kinds, and the input once more.
struct Recurrent {
  nn::Conv1d<2, 4, 3, nn::conv{.padding = {0, 2, 0, 0}, .layout = esp::nhwc}> conv{};
  nn::Outputs<nn::GRU<4, 5, nn::gru{.layers = 2, .batch_first = true}>> gru{};
  nn::Outputs<nn::LSTM<5, 2, nn::lstm{.batch_first = true}>> lstm{};
  ESPALIER_MODULE(Recurrent, conv, gru, lstm)
  constexpr auto forward(auto x) const { return lstm(gru(tanh(conv(x)))) + x; }
};
/// Recurrent layers behind strides, whose loops have fewer steps than the block, and the results of one for the next.
struct StridedRecurrent {
  Causal<2, 3, 3, 1, 2> a{};
  nn::Outputs<nn::GRU<3, 5, nn::gru{.batch_first = true}>> gru{};
  Causal<5, 4, 3, 2, 2> b{};
  nn::Outputs<nn::LSTM<4, 2, nn::lstm{.layers = 2, .batch_first = true}>> lstm{};
  ESPALIER_MODULE(StridedRecurrent, a, gru, b, lstm)
  constexpr auto forward(auto x) const { return lstm(tanh(b(gru(a(x))))); }
};
/// A step with products of the sequence, which are moved out of the loop: their slices are younger than its state.
struct Products {
  nn::Linear<2, 3> input{};
  nn::Linear<3, 3, nn::no_bias> state{};
  nn::Linear<3, 2> output{};
  ESPALIER_MODULE(Products, input, state, output)
  constexpr auto looped(auto x) const {
    constexpr int signals = esp::shape_of<decltype(x)>::value.at[1];
    auto const step = [&](auto const& h, auto const& now) {
      auto const next = tanh(input(now) + state(h)) * (1 + slice<1, 0, 1>(now));
      return std::tuple{next, output(next) + now};
    };
    return std::get<1>(esp::scan(step, esp::zeros<shape<signals, 3>>(x), x));
  }
  constexpr auto forward(auto x) const { return esp::permute<1, 0, 2>(looped(looped(esp::permute<1, 0, 2>(x)))); }
};
/// The same in the step of a loop, whose sequences the step around it computes.
struct NestedProducts {
  nn::Linear<2, 2> a{}, b{};
  ESPALIER_MODULE(NestedProducts, a, b)
  constexpr auto forward(auto x) const {
    constexpr int signals = esp::shape_of<decltype(x)>::value.at[0];
    auto const step = [&](auto const& h, auto const& now) {
      auto const inner = [&](auto const& s, auto const& row) {
        auto const next = tanh(0.5 * s + a(row) * row);
        return std::tuple{next, next};
      };
      auto const [last, rows] = esp::scan(inner, esp::zeros<shape<signals, 2>>(x), esp::stack<0>(now, h, b(now)));
      auto const [end, again] = esp::scan(inner, last, rows);
      return std::tuple{end, end + last};
    };
    auto const start = esp::zeros<shape<signals, 2>>(x);
    return esp::permute<1, 0, 2>(std::get<1>(esp::scan(step, start, esp::permute<1, 0, 2>(x))));
  }
};
/// Loops in the step of a loop: over a parameter, over what the step computes, and without sequences.
struct Nested {
  esp::parameter<shape<4, 2>, nn::init::initialized_by<nn::init::uniform{-1, 1}>> table{};
  nn::Linear<2, 2> last{};
  ESPALIER_MODULE(Nested, table, last)
  constexpr auto forward(auto x) const {
    constexpr int signals = esp::shape_of<decltype(x)>::value.at[0];
    auto const sum = [](auto const& s, auto const& feature) {
      auto const next = tanh(0.5 * s + feature);
      return std::tuple{next, next};
    };
    auto const step = [&](auto const& h, auto const& now) {
      auto const of_row = [&](auto const& s, auto const& row) { return std::tuple{tanh(s + row * now), std::tuple{}}; };
      auto const a = std::get<0>(esp::scan(of_row, h, table));
      auto const b = std::get<1>(esp::scan(sum, esp::zeros<shape<signals>>(x), esp::permute<1, 0>(a + now)));
      auto const c = esp::repeat<2>([&](auto const& s) { return tanh(s * 0.5 + now); }, esp::permute<1, 0>(b));
      return std::tuple{c, last(c)};
    };
    auto const start = esp::zeros<shape<signals, 2>>(x);
    return esp::permute<1, 0, 2>(std::get<1>(esp::scan(step, start, esp::permute<1, 0, 2>(x))));
  }
};
}  // namespace

BOOST_AUTO_TEST_CASE(a_stack_of_dilated_convolutions) {
  check<std::conditional_t<longer_run, double, float>, Stack, 1, 1, 3, 16, 48>();
}
BOOST_AUTO_TEST_CASE(gated_units_with_skip_connections) { check<double, WaveNet, 1, 1, 4, 48>(); }
/// More layers than histories that slide.
template <int... Layer>
nn::Sequential<nn::Residual<nn::Sequential<Causal<2, 2, 2, 1 + Layer % 3>, nn::Tanh>>...> residuals_of_layers(
    std::integer_sequence<int, Layer...>);
BOOST_AUTO_TEST_CASE(a_deep_net) {
  check<double, decltype(residuals_of_layers(std::make_integer_sequence<int, 24>{})), 1, 4>();
}
BOOST_AUTO_TEST_CASE(convolutions_without_padding_are_late) { check<double, Cropped, 1, 1, 2, 24>(6); }
BOOST_AUTO_TEST_CASE(norms_over_channels) { check<double, Channels, 1, 1, 6, 48>(); }
BOOST_AUTO_TEST_CASE(strides_and_poolings) { check<double, Strided, 1, 4, 16, 48>(); }
BOOST_AUTO_TEST_CASE(channels_second) { check<double, Second, 2, 1, 4, 48>(); }
BOOST_AUTO_TEST_CASE(delays_and_groups_of_channels) { check<double, Delayed, 1, 1, 2, 12>(); }
BOOST_AUTO_TEST_CASE(kernels_of_each_channel) {
  check<double, OfEachChannel, 1, 1, 3, 12, 48>(2);
  check<double, OfEachChannelSecond, 2, 1, 4, 12>();
}
BOOST_AUTO_TEST_CASE(a_delay) { check<double, Late, 1, 1, 4, 12>(); }
BOOST_AUTO_TEST_CASE(a_delayed_value_behind_other_paddings) { check<double, LateMaximum, 1, 1, 4, 12>(); }
BOOST_AUTO_TEST_CASE(products_that_are_moved_out_of_loops) {
  check<double, Products, 1, 1, 4>();
  check<double, NestedProducts, 1, 1, 4>();
}
BOOST_AUTO_TEST_CASE(recurrent_layers) { check<double, Recurrent, 1, 1, 4, 48>(); }
BOOST_AUTO_TEST_CASE(recurrent_layers_behind_strides) { check<double, StridedRecurrent, 1, 4, 8, 48>(); }
BOOST_AUTO_TEST_CASE(loops_in_the_step_of_a_loop) { check<double, Nested, 1, 1, 4, 12>(); }
BOOST_AUTO_TEST_CASE(rows_of_a_matrix) { check<double, Rows, 1, 1, 8>(); }

BOOST_AUTO_TEST_CASE(plain_loops_agree) {
  esp::model<Causal<1, 1, 3, 2>, esp::cpu, double> model{esp::seed{1}};
  auto const w = model.parameters();
  esp::stream stream{model, esp::batch<1, 2, 1>{}};
  double history[20]{};
  for (int t = 0; t < 16; t += 2) {
    tensor<double, shape<1, 2, 1>> x, y;
    for (int i = 0; i < 2; ++i) history[4 + t + i] = x[i] = 0.25 * (t + i) - 1;
    stream(x, y);
    for (int i = 0; i < 2; ++i) {
      double const* const now = history + 4 + t + i;
      BOOST_TEST(near(y[i], w[0] * now[-4] + w[1] * now[-2] + w[2] * now[0] + w[16]));
    }
  }
}

// The net is traced for a sequence that is shorter: there, the first tap reads only padding.
BOOST_AUTO_TEST_CASE(a_kernel_that_reaches_beyond_the_traced_sequence) {
  constexpr int far = 9000, length = 9100;
  esp::model<Causal<1, 1, 2, far>, esp::cpu, double> model{esp::seed{1}};
  auto const w = model.parameters();
  esp::stream stream{model, esp::batch<1, 2, 1>{}};
  static_assert(decltype(stream)::receptive_field == far + 1);
  auto const x = numbers<double, shape<length>>(1);
  for (int t = 0; t < length; t += 2) {
    tensor<double, shape<1, 2, 1>> now, y;
    for (int i = 0; i < 2; ++i) now[i] = x[t + i];
    stream(now, y);
    if (t >= far)
      for (int i = 0; i < 2; ++i) BOOST_TEST(near(y[i], w[0] * x[t + i - far] + w[1] * now[i] + w[16]));
  }
}

BOOST_AUTO_TEST_CASE(facts) {
  using stream = decltype(esp::stream{std::declval<esp::model<Stack> const&>(), esp::batch<1, 8, 2>{}});
  static_assert(stream::receptive_field == 1 + 2 * (1 + 2 + 4) && stream::latency_steps == 0);
  // two steps of 2 channels, four and eight of 8
  static_assert(stream::state_bytes == sizeof(float) * (2 * 2 + 4 * 8 + 8 * 8));
  static_assert(std::is_same_v<stream::input_shape, shape<1, 8, 2>>);
  static_assert(std::is_same_v<stream::output_shape, shape<1, 8, 2>>);
  static_assert(sizeof(stream::state_type) == stream::state_bytes);
  static_assert(std::is_trivially_copyable_v<stream::state_type>);
  static_assert(noexcept(std::declval<stream&>()(std::declval<tensor<float, shape<1, 8, 2>> const&>(),
                                                 std::declval<tensor<float, shape<1, 8, 2>>&>())));
  using strided = decltype(esp::stream{std::declval<esp::model<Strided> const&>(), esp::batch<3, 8, 2>{}});
  static_assert(std::is_same_v<strided::output_shape, shape<3, 2, 2>>);
  // convolution 3, largest of 3 and convolution 2 at stride 2, then the mean of 2
  static_assert(strided::receptive_field == 3 + 2 * (2 + 1 + 1));
  // both convolutions of a unit read the same history
  using gated = decltype(esp::stream{std::declval<esp::model<WaveNet> const&>(), esp::batch<1, 8, 2>{}});
  static_assert(gated::state_bytes == sizeof(float) * 6 * (1 + 2 + 4));
  constexpr int latency = gated::latency_steps;
  BOOST_TEST(latency == 0);
}

BOOST_AUTO_TEST_CASE(streams_of_one_model_are_independent_and_follow_it) {
  esp::model<Stack, esp::cpu, double> model{esp::seed{2}};
  esp::stream a{model, esp::batch<2, 16, 2>{}};
  esp::stream b{model, esp::batch<2, 3, 2>{}};
  auto const x = numbers<double, shape<2, steps, 2>>(1), other = numbers<double, shape<2, steps, 2>>(2);
  auto const of_x = streamed<1, 16>(a, x), of_other = streamed<1, 3>(b, other);
  check_close("the first", of_x, model(x));
  check_close("the second", of_other, model(other));
  model.parameters()[0] += 1;
  a.reset();
  check_close("with other parameters", streamed<1, 16>(a, x), model(x));
}

template <int Signals>
void check_saved_state() {
  esp::model<Strided, esp::cpu, double> model{esp::seed{2}};
  esp::stream a{model, esp::batch<Signals, 4, 2>{}}, b{model, esp::batch<Signals, 4, 2>{}};
  auto const x = numbers<double, shape<Signals, steps, 2>>(1);
  tensor<double, shape<Signals, 4, 2>> block;
  tensor<double, shape<Signals, 1, 2>> of_a, of_b;
  for (int t = 0; t < 5; ++t) {
    copy_steps<1>(x, 4 * t, block, 0, 4);
    a(block, of_a);
  }
  auto const saved = a.save();
  b.restore(saved);
  for (int t = 5; t < 8; ++t) {
    copy_steps<1>(x, 4 * t, block, 0, 4);
    a(block, of_a);
    b(block, of_b);
    BOOST_TEST(of_a == of_b);
  }
  b.restore(saved);
  BOOST_TEST((b.save() == saved));
  BOOST_TEST((a.save() != saved));
  // blocks of another length
  esp::stream longer{model, esp::batch<Signals, 8, 2>{}};
  longer.restore(saved);
  tensor<double, shape<Signals, 8, 2>> both;
  tensor<double, shape<Signals, 2, 2>> of_both;
  copy_steps<1>(x, 20, both, 0, 8);
  longer(both, of_both);
  for (int half = 0; half < 2; ++half) {
    copy_steps<1>(x, 20 + 4 * half, block, 0, 4);
    b(block, of_b);
    for (int n = 0; n < Signals; ++n)
      for (int c = 0; c < 2; ++c) BOOST_TEST(near(of_b(n, 0, c), of_both(n, half, c)));
  }
}

BOOST_AUTO_TEST_CASE(a_saved_state_continues_in_another_stream) {
  check_saved_state<1>();
  check_saved_state<2>();
}

BOOST_AUTO_TEST_CASE(memory_ranges_and_results_in_place) {
  esp::model<Stack> model{esp::seed{2}};
  using stream_of_blocks = decltype(esp::stream{model, esp::batch<1, 8, 2>{}});
  static esp::bytes<stream_of_blocks::bytes> room, more;
  esp::stream a{model, esp::batch<1, 8, 2>{}, room};
  esp::stream b{model, esp::batch<1, 8, 2>{}, esp::time_axis<1>{}, more};
  std::vector<float> x(16), y(16);
  for (int i = 0; i < 16; ++i) x[static_cast<std::size_t>(i)] = static_cast<float>(i % 5) - 2;
  for (int round = 0; round < 3; ++round) {
    tensor<float, shape<1, 8, 2>> both;
    for (std::size_t i = 0; i < 16; ++i) both[static_cast<std::int64_t>(i)] = x[i];
    a(x, y);
    b(both, both);
    for (std::size_t i = 0; i < 16; ++i) BOOST_TEST(both[static_cast<std::int64_t>(i)] == y[i]);
  }
  std::vector<float> const fewer(15);
  BOOST_CHECK_THROW(a(fewer, y), esp::range_error);
}

BOOST_AUTO_TEST_CASE(subnormal_numbers_do_not_stay_in_the_state) {
  if constexpr (esp::flush_subnormals::flushes) {
    esp::model<nn::Sequential<Causal<1, 1, 2>, Causal<1, 1, 2>>> model{esp::seed{2}};
    esp::stream s{model, esp::batch<1, 1, 1>{}};
    tensor<float, shape<1, 1, 1>> x, y;
    for (auto& p : model.parameters()) p = 0;
    model.parameters()[0] = model.parameters()[1] = 0x1p-100f;
    x[0] = 0x1p-40f;
    s(x, y);
    BOOST_TEST(s.save()[1] == 0.0f);  // not 0x1p-140
  }
}

BOOST_AUTO_TEST_CASE(tokens) {
  using Net = nn::Sequential<nn::Embedding<11, 4>, Causal<4, 3, 2>>;
  esp::model<Net, esp::cpu, double> model{esp::seed{2}};
  esp::stream s{model, esp::batch<1, 3>{}};
  tensor<std::int32_t, shape<1, 12>> all;
  for (int i = 0; i < 12; ++i) all[i] = i * 7 % 11;
  auto const expected = model(all);
  for (int t = 0; t < 12; t += 3) {
    tensor<std::int32_t, shape<1, 3>> block;
    tensor<double, shape<1, 3, 3>> y;
    for (int i = 0; i < 3; ++i) block[i] = all[t + i];
    s(block, y);
    for (int i = 0; i < 9; ++i) BOOST_TEST(near(y[i], expected[3 * t + i]));
  }
}
