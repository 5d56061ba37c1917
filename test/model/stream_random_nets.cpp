// SPDX-License-Identifier: BSL-1.0
// Nets of random layers whose values are read in several places: their streams give, step by step and in blocks, what a
// predictor gives for the whole sequence.
#define BOOST_TEST_MODULE model_stream_random_nets
#include <boost/test/unit_test.hpp>

#include <espalier/stream.hpp>

#include <tuple>

#include "support/drawn_layers.hpp"
#include "support/stream_blocks.hpp"

using namespace test;
using esp::slice;

namespace {

/// A delay: zeros, and then the input.
template <int Steps>
struct Late {
  ESPALIER_MODULE(Late)
  constexpr auto forward(auto x) const { return slice<1, 0, -Steps>(esp::pad<0, 0, Steps, 0, 0, 0>(x)); }
};
/// The same in the other order.
template <int Steps>
struct CutAndLate {
  ESPALIER_MODULE(CutAndLate)
  constexpr auto forward(auto x) const { return esp::pad<0, 0, Steps, 0, 0, 0>(slice<1, 0, -Steps>(x)); }
};
/// The maximum or the mean of the last K steps.
template <bool Maximum, int K>
struct Pool {
  ESPALIER_MODULE(Pool)
  constexpr auto forward(auto x) const {
    constexpr esp::pooling causal{.stride = 1, .padding = {K - 1, 0, 0, 0}, .layout = esp::nhwc};
    auto const rows = esp::unsqueeze<2>(x);
    if constexpr (Maximum) return esp::squeeze<2>(esp::max_pool2d<esp::rows_columns{K, 1}, causal>(rows));
    else return esp::squeeze<2>(esp::average_pool2d<esp::rows_columns{K, 1}, causal>(rows));
  }
};
struct Softmax {
  ESPALIER_MODULE(Softmax)
  constexpr auto forward(auto x) const { return esp::softmax<2>(x); }
};
struct MinusMean {
  ESPALIER_MODULE(MinusMean)
  constexpr auto forward(auto x) const { return x - mean<2>(x, esp::keepdims); }
};
struct Mixed {
  nn::Linear<8, 4> a{};
  Late<3> late{};
  ESPALIER_MODULE(Mixed, a, late)
  constexpr auto forward(auto x) const { return a(esp::concatenate<2>(x, late(x))); }
};
struct HalfChannels {
  Causal<2, 2, 3> a{};
  ESPALIER_MODULE(HalfChannels, a)
  constexpr auto forward(auto x) const { return esp::concatenate<2>(slice<2, 2, 4>(x), a(slice<2, 0, 2>(x))); }
};
struct Sum {
  ESPALIER_MODULE(Sum)
  constexpr auto forward(auto x) const {
    constexpr int signals = esp::shape_of<decltype(x)>::value.at[0];
    auto const step = [](auto const& h, auto const& now) {
      auto const next = 0.7 * h + now;
      return std::tuple{next, tanh(next)};
    };
    return esp::permute<1, 0, 2>(
        std::get<1>(esp::scan(step, esp::zeros<shape<signals, 4>>(x), esp::permute<1, 0, 2>(x))));
  }
};
struct Flipped {
  ESPALIER_MODULE(Flipped)
  constexpr auto forward(auto x) const { return esp::flip<2>(x) * 0.5 + x; }
};
struct Gain {
  esp::parameter<shape<4>, nn::init::initialized_by<nn::init::uniform{-1, 1}>> gain{};
  ESPALIER_MODULE(Gain, gain)
  constexpr auto forward(auto x) const { return x * gain + 0.25; }
};
template <int I>
using layer = layer_of<I, Causal<4, 4, 2>, Causal<4, 4, 3, 2>, Causal<4, 4, 3, 1, 1, 2>, Causal<4, 4, 4, 1, 1, 4>,
                       Causal<4, 4, 1>, nn::Tanh, nn::ReLU, nn::GELU, nn::LayerNorm1d<4>, nn::Linear<4, 4>,
                       Pool<true, 3>, Pool<false, 2>, Late<1>, Late<4>, CutAndLate<3>, Softmax, MinusMean, Mixed,
                       HalfChannels, Sum, Flipped, Gain, nn::Outputs<nn::GRU<4, 4, nn::gru{.batch_first = true}>>,
                       nn::Outputs<nn::LSTM<4, 4, nn::lstm{.batch_first = true}>>, nn::Residual<Causal<4, 4, 3>>,
                       nn::Residual<nn::Sequential<Late<2>, nn::Linear<4, 4>>>, nn::RMSNorm<shape<4>>,
                       nn::Outputs<nn::RNN<4, 4, nn::rnn{.batch_first = true}>>>;
constexpr int kinds = 28;
/// A graph of five layers. Each reads earlier values, which others read, too.
template <int Seed>
struct Net {
  nn::Linear<2, 4> first{};
  layer<drawn<Seed, 1, kinds>> a{};
  layer<drawn<Seed, 2, kinds>> b{};
  layer<drawn<Seed, 3, kinds>> c{};
  layer<drawn<Seed, 4, kinds>> d{};
  layer<drawn<Seed, 5, kinds>> e{};
  nn::Linear<4, 2> last{};
  ESPALIER_MODULE(Net, first, a, b, c, d, e, last)
  template <int I, class... V>
  static constexpr auto pick(V... v) {
    return std::get<static_cast<std::size_t>(I)>(std::tuple{v...});
  }
  template <int K>
  static constexpr auto combine(auto x, auto y) {
    constexpr int how = drawn<Seed, 30 + K, 6>;
    if constexpr (how == 0) return x + y;
    else if constexpr (how == 1) return x * y;
    else if constexpr (how == 2) return maximum(x, y);
    else if constexpr (how == 3) return x;
    else if constexpr (how == 4) return y - 0.5 * x;
    else return tanh(x) + y;
  }
  constexpr auto forward(auto x) const {
    auto const v0 = first(x);
    auto const v1 = a(v0);
    auto const v2 = b(combine<0>(v1, v0));
    auto const v3 = c(combine<1>(pick<drawn<Seed, 10, 3>>(v0, v1, v2), v2));
    auto const v4 = d(combine<2>(pick<drawn<Seed, 11, 4>>(v0, v1, v2, v3), v3));
    auto const v5 = e(combine<3>(pick<drawn<Seed, 12, 5>>(v0, v1, v2, v3, v4), v4));
    return last(combine<4>(pick<drawn<Seed, 13, 5>>(v0, v1, v2, v3, v4), v5));
  }
};

constexpr int nets = longer_run ? 16 : 4;
template <int... Seed>
void check_nets(std::integer_sequence<int, Seed...>) {
  (check<double, Net<Seed + 1>, 1, 1, 4>(), ...);
}

}  // namespace

BOOST_AUTO_TEST_CASE(streams_of_random_nets) { check_nets(std::make_integer_sequence<int, nets>{}); }
