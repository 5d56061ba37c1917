// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <boost/test/unit_test.hpp>

#include <espalier/stream.hpp>

#include "support/longer_run.hpp"
#include "support/nets.hpp"

/// Streams of blocks beside predictors of the whole sequence.
namespace test {

using esp::shape, esp::tensor;

/// A convolution that looks back only: its results are as many as its steps.
template <int In, int Out, int Kernel, int Dilation = 1, int Stride = 1, int Groups = 1>
using Causal = nn::Conv1d<In, Out, Kernel,
                          nn::conv{.stride = Stride,
                                   .padding = {0, Dilation*(Kernel - 1), 0, 0},
                                   .dilation = Dilation,
                                   .groups = Groups,
                                   .layout = esp::nhwc}>;

/// Copies `count` steps, from one position to another, between tensors that differ only in their number of steps.
template <int Axis, class From, class To>
void copy_steps(From const& from, int at, To& to, int there, int count) {
  esp::extents const s = esp::shape_of<From>::value, r = esp::shape_of<To>::value;
  auto const inner = s.product(Axis + 1, s.rank);
  for (std::int64_t o = 0; o < s.product(0, Axis); ++o)
    for (int t = 0; t < count; ++t)
      for (std::int64_t i = 0; i < inner; ++i)
        to[(o * r.at[Axis] + there + t) * inner + i] = from[(o * s.at[Axis] + at + t) * inner + i];
}

template <int Axis, int Signals, int Steps>
struct cut;
template <int Signals, int Steps>
struct cut<1, Signals, Steps> {
  using block = esp::batch<Signals, Steps, 2>;
};
template <int Signals, int Steps>
struct cut<2, Signals, Steps> {
  using block = esp::batch<Signals, 2, Steps>;
};

constexpr int steps = 48;

/// All results of a stream of blocks of B steps, for a sequence that begins after a reset.
template <int Axis, int B, class Stream, class X>
auto streamed(Stream& stream, X const& x) {
  using Out = typename Stream::output_shape;
  using T = typename X::value_type;
  tensor<T, typename Stream::input_shape> block;
  tensor<T, Out> result;
  constexpr int made = Out::value.at[Axis];
  tensor<T, typename cut<Axis, X::shape_type::template extent<0>(), steps / B * made>::block> y;
  for (int t = 0; t < steps / B; ++t) {
    copy_steps<Axis>(x, t * B, block, 0, B);
    stream(block, result);
    copy_steps<Axis>(result, 0, y, t * made, made);
  }
  return y;
}
template <class T, class Net, int Axis, int B, class X, class Y>
void check_blocks(esp::model<Net, esp::cpu, T> const& model, X const& x, Y const& expected, int latency) {
  esp::stream stream{model, typename cut<Axis, X::shape_type::template extent<0>(), B>::block{},
                     esp::time_axis<Axis>{}};
  BOOST_TEST(stream.latency_steps == latency);
  for (int round = 0; round < 2; ++round) {
    auto const y = streamed<Axis, B>(stream, x);
    Y behind, wanted;
    int const made = esp::shape_of<Y>::value.at[Axis], known = esp::shape_of<decltype(y)>::value.at[Axis];
    BOOST_REQUIRE(known - latency <= made);
    copy_steps<Axis>(y, latency, behind, 0, known - latency);
    copy_steps<Axis>(expected, 0, wanted, 0, known - latency);
    check_close("blocks", behind, wanted);
    stream.reset();
  }
}
/// Blocks of B steps, of one signal and of two: their histories are in memory in different ways. Of these pairs a run
/// has every second one, and a longer run the others.
template <class T, class Net, int Axis, int... B>
void check(int latency = 0) {
  esp::model<Net, esp::cpu, T> model{esp::seed{7}};
  auto const check_signals = [&]<int Signals, int... I>(std::integral_constant<int, Signals>,
                                                        std::integer_sequence<int, I...>) {
    if constexpr ((in_this_run<Signals + I + 1> || ...)) {
      auto const x = numbers<T, typename cut<Axis, Signals, steps>::block>(5);
      auto const expected = model(x);
      auto const check_if = [&]<int Steps, bool In>(std::integral_constant<int, Steps>, std::bool_constant<In>) {
        if constexpr (In) check_blocks<T, Net, Axis, Steps>(model, x, expected, latency);
      };
      (check_if(std::integral_constant<int, B>{}, std::bool_constant<in_this_run<Signals + I + 1>>{}), ...);
    }
  };
  check_signals(std::integral_constant<int, 1>{}, std::make_integer_sequence<int, sizeof...(B)>{});
  check_signals(std::integral_constant<int, 2>{}, std::make_integer_sequence<int, sizeof...(B)>{});
}

}  // namespace test
