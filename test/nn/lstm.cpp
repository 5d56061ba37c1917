// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE nn_lstm
#include <boost/test/unit_test.hpp>

#include "support/recurrent.hpp"

using namespace test;
using namespace test::recurrent;
using esp::shape, esp::tensor;

static_assert(esp::parameter_count<nn::LSTMCell<3, 5>> == 3 * 20 + 5 * 20 + 2 * 20 &&
              esp::parameter_count<nn::LSTMCell<3, 5, nn::lstm_cell{.bias = false}>> == 3 * 20 + 5 * 20);
static_assert(esp::output_shape<nn::LSTMCell<3, 5>, shape<2, 3>> == esp::shapes<shape<2, 5>, shape<2, 5>>{});
static_assert(esp::output_shape<nn::LSTM<3, 5, nn::lstm{.layers = 2, .bidirectional = true}>, shape<7, 2, 3>> ==
              esp::shapes<shape<7, 2, 10>, shape<4, 2, 5>, shape<4, 2, 5>>{});

namespace {
/// A state that is one value of a function.
struct TwoSteps {
  nn::LSTMCell<3, 4> cell;
  ESPALIER_MODULE(TwoSteps, cell)
  constexpr auto forward(auto x) const { return std::get<0>(cell(x, cell(x))); }
};
inline constexpr auto run_with_state = [](auto net, auto x, auto state) { return net(x, state); };
inline constexpr auto sum_of_outputs = [](auto net, auto x) { return sum(std::get<0>(net(x))); };
}  // namespace

BOOST_AUTO_TEST_CASE(layers_against_loops) {
  check_layer<nn::LSTM<3, 4>, double, 3, 2, 3, 4>(kind::lstm);
  check_layer<nn::LSTM<3, 4>, float, 3, 2, 3, 4>(kind::lstm);
  check_layer<nn::LSTM<2, 3, nn::lstm{.layers = 2, .bidirectional = true}>, double, 3, 1, 2, 3, 2, 2>(kind::lstm);
  check_layer<nn::LSTM<1, 3, nn::lstm{.layers = 2, .bias = false}>, double, 1, 3, 1, 3, 2>(kind::lstm);
}
BOOST_AUTO_TEST_CASE(gradients) {
  check_gradient<nn::LSTM<3, 4, nn::lstm{.bidirectional = true}>>(shape<2, 2, 3>{}, shape<2, 2, 8>{},
                                                                  doubles<2, 2, 4>(3), doubles<2, 2, 4>(4));
  check_gradient<nn::LSTMCell<3, 4>>(shape<2, 3>{}, shape<2, 4>{}, doubles<2, 4>(3), doubles<2, 4>(4));
}
BOOST_AUTO_TEST_CASE(a_cell_is_one_step) {
  esp::model<nn::LSTMCell<3, 4>, esp::cpu, double> one{esp::seed{1}};
  esp::model<nn::LSTM<3, 4>, esp::cpu, double> layer{esp::seed{1}};
  BOOST_TEST(parameter_list(one) == "weight_ih(3,16) weight_hh(4,16) bias_ih(16) bias_hh(16)");
  BOOST_TEST(parameter_list(layer) == "weight_ih_l0(3,16) weight_hh_l0(4,16) bias_ih_l0(16) bias_hh_l0(16)");
  BOOST_TEST(copy(one.parameters()) == copy(layer.parameters()), boost::test_tools::per_element());
  auto const x = doubles<2, 3>(1);
  tensor<double, shape<1, 2, 3>> sequence;
  for (int i = 0; i < 6; ++i) sequence[i] = x[i];
  auto const [h, c] = one(x);
  auto const [y, last_h, last_c] = layer(sequence);
  BOOST_TEST((agrees(y, listed(h)) && agrees(last_h, listed(h)) && agrees(last_c, listed(c))));
  esp::model<TwoSteps, esp::cpu, double> two{esp::seed{1}};
  BOOST_TEST(two(x) == std::get<0>(one(x, h, c)));
}
// Batch first: the same numbers in another order. The state keeps its shape.
BOOST_AUTO_TEST_CASE(batch_first) {
  esp::model<nn::LSTM<3, 4>, esp::cpu, double> steps_first{esp::seed{1}};
  esp::model<nn::LSTM<3, 4, nn::lstm{.batch_first = true}>, esp::cpu, double> samples_first{esp::seed{1}};
  auto const x = doubles<3, 2, 3>(1);
  tensor<double, shape<2, 3, 3>> const exchanged = esp::permute<1, 0, 2>(x);
  auto const [y, h, c] = steps_first(x);
  auto const [z, k, d] = samples_first(exchanged);
  tensor<double, shape<3, 2, 4>> const back = esp::permute<1, 0, 2>(z);
  BOOST_TEST((back == y && k == h && d == c));
}
// The state of a first part, carried to the second, gives the outputs of the whole.
BOOST_AUTO_TEST_CASE(carried_state) {
  esp::model<nn::LSTM<3, 4, nn::lstm{.layers = 2}>, esp::cpu, double> model{esp::seed{1}};
  auto const x = doubles<3, 2, 3>(1);
  tensor<double, shape<1, 2, 3>> const first = esp::slice<0, 0, 1>(x);
  tensor<double, shape<2, 2, 3>> const rest = esp::slice<0, 1, 3>(x);
  auto const [y, h, c] = model(x);
  auto const [y0, h0, c0] = model(first);
  auto const [y1, h1, c1] = model(rest, h0, c0);
  tensor<double, shape<3, 2, 4>> const joined = esp::concatenate<0>(y0, y1);
  BOOST_TEST((agrees(joined, listed(y)) && agrees(h1, listed(h)) && agrees(c1, listed(c))));
  // a state may be one argument of a function
  auto state = std::tuple{h0, c0};
  tensor<double, shape<2, 2, 4>> z;
  esp::compiled run{run_with_state, model, rest, state};
  run(rest, state, z, state);
  BOOST_TEST((agrees(z, listed(y1)) && agrees(std::get<1>(state), listed(c))));
}
BOOST_AUTO_TEST_CASE(initial_values) {
  esp::model<nn::LSTM<3, 16>, esp::cpu, double> model{esp::seed{1}};
  double low = 0, high = 0;
  for (double const v : model.parameters()) low = std::fmin(low, v), high = std::fmax(high, v);
  BOOST_TEST((low >= -0.25 && low < -0.24 && high < 0.25 && high > 0.24));
}
// Dropout is between layers, and only in training.
BOOST_AUTO_TEST_CASE(dropout_between_layers) {
  using Net = nn::LSTM<3, 4, nn::lstm{.layers = 2, .dropout = 0.5}>;
  esp::model<Net, esp::cpu, double> model{esp::seed{1}};
  esp::model<nn::LSTM<3, 4, nn::lstm{.layers = 2}>, esp::cpu, double> plain{esp::seed{1}};
  auto const x = doubles<2, 2, 3>(1);
  BOOST_TEST(std::get<0>(model(x)) == std::get<0>(plain(x)));
  auto const [trained, by_x] = esp::value_and_grad<1>(sum_of_outputs)(model, x);
  auto const [trained_plain, by_plain_x] = esp::value_and_grad<1>(sum_of_outputs)(plain, x);
  BOOST_TEST((trained != trained_plain && model.random_steps() > 0 && plain.random_steps() == 0));
}
