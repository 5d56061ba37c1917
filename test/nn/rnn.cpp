// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE nn_rnn
#include <boost/test/unit_test.hpp>

#include "support/recurrent.hpp"

using namespace test;
using namespace test::recurrent;
using esp::shape, esp::tensor;

static_assert(esp::parameter_count<nn::RNNCell<3, 5>> == 3 * 5 + 5 * 5 + 2 * 5 &&
              esp::parameter_count<nn::RNNCell<3, 5, nn::rnn_cell{.bias = false}>> == 3 * 5 + 5 * 5);
static_assert(esp::output_shape<nn::RNNCell<3, 5>, shape<2, 3>> == shape<2, 5>{});
static_assert(esp::output_shape<nn::RNN<3, 5, nn::rnn{.layers = 2, .bidirectional = true, .batch_first = true}>,
                                shape<2, 7, 3>> == esp::shapes<shape<2, 7, 10>, shape<4, 2, 5>>{});

namespace {
constexpr nn::rnn relu{.nonlinearity = nn::nonlinearity::relu};
}

BOOST_AUTO_TEST_CASE(layers_against_loops) {
  check_layer<nn::RNN<3, 4>, double, 4, 2, 3, 4>(kind::rnn_tanh);
  check_layer<nn::RNN<3, 4, relu>, float, 4, 2, 3, 4>(kind::rnn_relu);
  check_layer<nn::RNN<2, 3, nn::rnn{.layers = 3, .bidirectional = true}>, double, 3, 2, 2, 3, 3, 2>(kind::rnn_tanh);
  check_layer<nn::RNN<1, 1, nn::rnn{.layers = 2, .bias = false}>, double, 3, 2, 1, 1, 2>(kind::rnn_tanh);
}
BOOST_AUTO_TEST_CASE(gradients) {
  check_gradient<nn::RNN<3, 4, nn::rnn{.layers = 2, .bidirectional = true}>>(shape<3, 2, 3>{}, shape<3, 2, 8>{},
                                                                             doubles<4, 2, 4>(3));
  check_gradient<nn::RNN<3, 4, relu>>(shape<3, 2, 3>{}, shape<3, 2, 4>{}, doubles<1, 2, 4>(3));
}
BOOST_AUTO_TEST_CASE(a_cell_is_one_step) {
  esp::model<nn::RNNCell<3, 4>, esp::cpu, double> one{esp::seed{1}};
  esp::model<nn::RNN<3, 4>, esp::cpu, double> layer{esp::seed{1}};
  BOOST_TEST(parameter_list(one) == "weight_ih(3,4) weight_hh(4,4) bias_ih(4) bias_hh(4)");
  auto const x = doubles<2, 3>(1);
  tensor<double, shape<1, 2, 3>> sequence;
  for (int i = 0; i < 6; ++i) sequence[i] = x[i];
  BOOST_TEST(agrees(std::get<0>(layer(sequence)), listed(one(x))));
}
// PyTorch's names, in the order of PyTorch's parameters.
BOOST_AUTO_TEST_CASE(names) {
  esp::model<nn::RNN<3, 4, nn::rnn{.layers = 2, .bidirectional = true}>> model;
  BOOST_TEST(
      parameter_list(model) ==
      "weight_ih_l0(3,4) weight_hh_l0(4,4) bias_ih_l0(4) bias_hh_l0(4) weight_ih_l0_reverse(3,4) "
      "weight_hh_l0_reverse(4,4) bias_ih_l0_reverse(4) bias_hh_l0_reverse(4) weight_ih_l1(8,4) weight_hh_l1(4,4) "
      "bias_ih_l1(4) bias_hh_l1(4) weight_ih_l1_reverse(8,4) weight_hh_l1_reverse(4,4) bias_ih_l1_reverse(4) "
      "bias_hh_l1_reverse(4)");
  BOOST_TEST(model.parameter<"weight_hh_l1_reverse">().span().size() == 16);
}
