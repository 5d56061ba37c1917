// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE nn_gru
#include <boost/test/unit_test.hpp>

#include "support/recurrent.hpp"

using namespace test;
using namespace test::recurrent;
using esp::shape, esp::tensor;

static_assert(esp::parameter_count<nn::GRUCell<3, 5>> == 3 * 15 + 5 * 15 + 2 * 15 &&
              esp::parameter_count<nn::GRUCell<3, 5, nn::gru_cell{.bias = false}>> == 3 * 15 + 5 * 15);
static_assert(esp::output_shape<nn::GRUCell<3, 5>, shape<2, 3>> == shape<2, 5>{});
static_assert(esp::output_shape<nn::GRU<3, 5, nn::gru{.layers = 2, .bidirectional = true}>, shape<7, 2, 3>> ==
              esp::shapes<shape<7, 2, 10>, shape<4, 2, 5>>{});

namespace {
constexpr nn::gru two_directions{.layers = 2, .bidirectional = true};
constexpr nn::gru before{.bias = true, .reset_after = false};
}  // namespace

BOOST_AUTO_TEST_CASE(layers_against_loops) {
  check_layer<nn::GRU<3, 4>, double, 3, 2, 3, 4>(kind::gru);
  check_layer<nn::GRU<3, 4>, float, 3, 2, 3, 4>(kind::gru);
  check_layer<nn::GRU<2, 3, two_directions>, double, 2, 1, 2, 3, 2, 2>(kind::gru);
  check_layer<nn::GRU<1, 3, nn::gru{.bias = false}>, double, 3, 2, 1, 3>(kind::gru);
}
// The reset gate multiplies the state, not its product with the weight.
BOOST_AUTO_TEST_CASE(reset_before) {
  check_layer<nn::GRU<3, 4, before>, double, 3, 2, 3, 4>(kind::gru_reset_before);
  check_layer<nn::GRU<3, 4, nn::gru{.bias = false, .reset_after = false}>, double, 3, 2, 3, 4>(kind::gru_reset_before);
  esp::model<nn::GRUCell<3, 4>, esp::cpu, double> after{esp::seed{1}};
  esp::model<nn::GRUCell<3, 4, nn::gru_cell{.reset_after = false}>, esp::cpu, double> cho{esp::seed{1}};
  auto const x = doubles<2, 3>(1);
  auto const h = doubles<2, 4>(2);
  BOOST_TEST(after(x, h) != cho(x, h));
}
BOOST_AUTO_TEST_CASE(gradients) {
  check_gradient<nn::GRU<3, 4>>(shape<2, 2, 3>{}, shape<2, 2, 4>{}, doubles<1, 2, 4>(3));
  check_gradient<nn::GRU<3, 4, before>>(shape<2, 2, 3>{}, shape<2, 2, 4>{}, doubles<1, 2, 4>(3));
}
BOOST_AUTO_TEST_CASE(a_cell_is_one_step) {
  esp::model<nn::GRUCell<3, 4>, esp::cpu, double> one{esp::seed{1}};
  esp::model<nn::GRU<3, 4>, esp::cpu, double> layer{esp::seed{1}};
  BOOST_TEST(parameter_list(one) == "weight_ih(3,12) weight_hh(4,12) bias_ih(12) bias_hh(12)");
  BOOST_TEST(parameter_list(layer) == "weight_ih_l0(3,12) weight_hh_l0(4,12) bias_ih_l0(12) bias_hh_l0(12)");
  auto const x = doubles<2, 3>(1);
  tensor<double, shape<1, 2, 3>> sequence;
  for (int i = 0; i < 6; ++i) sequence[i] = x[i];
  BOOST_TEST(agrees(std::get<0>(layer(sequence)), listed(one(x))));
  BOOST_TEST(one(x) == one(x, tensor<double, shape<2, 4>>{}));
}
