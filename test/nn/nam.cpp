// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE nn_nam
#include <boost/test/unit_test.hpp>

#include <espalier/nn/nam.hpp>
#include <espalier/stream.hpp>

#include "support/recurrent.hpp"

using namespace test;
using namespace test::recurrent;
using esp::shape, esp::tensor;
namespace nam = nn::nam;

namespace {

using Two =
    nam::WaveNet<nam::Stack<nam::stack{.channels = 3, .head = 2, .gated = true, .head_bias = true}, nn::Tanh, 1, 2>,
                 nam::Stack<nam::stack{.inputs = 3, .channels = 2, .head = 1, .kernel = 2}, nn::Sigmoid, 3>>;

/// The result twice: once for a weighted sum, once for a sum of squares.
template <class Net>
struct Twice {
  Net inner;
  ESPALIER_MODULE(Twice, inner)
  constexpr auto forward(auto x) const {
    auto const y = inner(x);
    return std::tuple{y, y};
  }
};

/// A signal after a stream and at once.
template <class Net, int Steps>
double difference_of_blocks() {
  esp::model<Net, esp::cpu, double> model{esp::seed{1}};
  auto const x = doubles<1, Steps, 1>(1);
  tensor<double, shape<1, Steps, 1>> const whole = model(x);
  esp::stream effect{model, shape<1, 4, 1>{}};
  double worst = 0;
  for (int t = 0; t < Steps; t += 4) {
    tensor<double, shape<1, 4, 1>> in, out;
    for (int i = 0; i < 4; ++i) in[i] = x[t + i];
    effect(in, out);
    for (int i = 0; i < 4; ++i) worst = std::max(worst, std::abs(out[i] - whole[t + i]));
  }
  return worst;
}

}  // namespace

static_assert(esp::parameter_count<nam::Standard> == 13801);  // and head_scale
static_assert(esp::output_shape<nam::Standard, esp::batch<2, 64, 1>> == shape<2, 64, 1>{});
static_assert(esp::stream<esp::model<nam::Standard>, esp::batch<1, 64, 1>>::receptive_field == 4093);

BOOST_AUTO_TEST_CASE(members) {
  esp::model<Two, esp::cpu, double> model{esp::seed{1}};
  BOOST_TEST(
      parameter_list(model) ==
      "stacks.0.rechannel.weight(1,3) stacks.0.layers.0.conv.weight(3,3,6) stacks.0.layers.0.conv.bias(6) "
      "stacks.0.layers.0.input_mixin.weight(1,6) stacks.0.layers.0.conv1x1.weight(3,3) "
      "stacks.0.layers.0.conv1x1.bias(1,3) stacks.0.layers.1.conv.weight(3,3,6) stacks.0.layers.1.conv.bias(6) "
      "stacks.0.layers.1.input_mixin.weight(1,6) stacks.0.layers.1.conv1x1.weight(3,3) "
      "stacks.0.layers.1.conv1x1.bias(1,3) stacks.0.head_rechannel.weight(3,2) stacks.0.head_rechannel.bias(1,2) "
      "stacks.1.rechannel.weight(3,2) stacks.1.layers.0.conv.weight(2,2,2) stacks.1.layers.0.conv.bias(2) "
      "stacks.1.layers.0.input_mixin.weight(1,2) stacks.1.layers.0.conv1x1.weight(2,2) "
      "stacks.1.layers.0.conv1x1.bias(1,2) stacks.1.head_rechannel.weight(2,1)");
  esp::model<nam::LSTM<2, 2>, esp::cpu, double> lstm{esp::seed{1}};
  BOOST_TEST(
      parameter_list(lstm) ==
      "first.weight(3,8) first.bias(8) first.initial_h(2) first.initial_c(2) later.0.weight(4,8) later.0.bias(8) "
      "later.0.initial_h(2) later.0.initial_c(2) head.weight(2,1) head.bias(1,1)");
}
// Values against other implementations are in io/nam.cpp, which loads files.
BOOST_AUTO_TEST_CASE(the_first_states_are_parameters) {
  esp::model<nam::LSTM<2>, esp::cpu, double> model{esp::seed{1}};
  esp::model<nn::LSTMCell<1, 2>, esp::cpu, double> cell{esp::seed{1}};
  auto const copy = [](auto const& from, auto const& to, std::int64_t begin) {
    for (std::int64_t i = 0; i < to.span().size(); ++i) to.span()[i] = from.span()[begin + i];
  };
  copy(model.parameter("first.weight"), cell.parameter("weight_ih"), 0);
  copy(model.parameter("first.weight"), cell.parameter("weight_hh"), 8);
  copy(model.parameter("first.bias"), cell.parameter("bias_ih"), 0);
  for (double& b : cell.parameter("bias_hh").span()) b = 0;
  auto const x = doubles<1, 5, 1>(2);
  tensor<double, shape<1, 5, 1>> const y = model(x);
  tensor<double, shape<1, 2>> h, c;
  for (int i = 0; i < 2; ++i) {
    h[i] = model.parameter("first.initial_h").span()[i];
    c[i] = model.parameter("first.initial_c").span()[i];
  }
  for (int t = 0; t < 5; ++t) {
    tensor<double, shape<1, 1>> now;
    now[0] = x[t];
    auto const [next_h, next_c] = cell(now, h, c);
    h = next_h, c = next_c;
    double expected = model.parameter("head.bias").span()[0];
    for (int i = 0; i < 2; ++i) expected += h[i] * model.parameter("head.weight").span()[i];
    BOOST_TEST(std::abs(y[t] - expected) < 1e-14);
  }
}
BOOST_AUTO_TEST_CASE(gradients) {
  check_gradient<Twice<Two>>(shape<2, 7, 1>{}, shape<2, 7, 1>{});
  check_gradient<Twice<nam::LSTM<2, 2>>>(shape<2, 4, 1>{}, shape<2, 4, 1>{});
}
BOOST_AUTO_TEST_CASE(blocks_are_the_whole) {
  BOOST_TEST((difference_of_blocks<Two, 24>()) < 1e-14);
  BOOST_TEST((difference_of_blocks<nam::LSTM<3, 2>, 24>()) < 1e-14);
}
