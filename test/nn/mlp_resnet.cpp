// SPDX-License-Identifier: BSL-1.0
// The residual nets of the library are those of needle's course.
#define BOOST_TEST_MODULE nn_mlp_resnet
#include <boost/test/unit_test.hpp>

#include "support/nets.hpp"

using namespace test;
using esp::shape;

static_assert(esp::parameter_count<nn::ResidualBlock<15, 2>> == 111);
static_assert(esp::parameter_count<nn::ResidualBlock<784, 100, nn::use_layer_norm>> == 159452);
static_assert(esp::parameter_count<nn::MLPResNet<150, 100, 5, 10, nn::use_layer_norm>> == 68360);
static_assert(esp::parameter_count<nn::MLPResNet<10, 100, 1, 100, nn::use_layer_norm>> == 21650);
static_assert(esp::parameter_count<nn::MLPResNet<10, 100, 5, 100>> == 63450);
static_assert(esp::output_shape<nn::MLPResNet<784, 64, 3, 10>, shape<32, 784>> == shape<32, 10>{});
static_assert(esp::parameter_count<nn::ResNet9<>> == 431946);
static_assert(esp::output_shape<nn::ResNet9<100>, shape<2, 3, 32, 32>> == shape<2, 100>{});

BOOST_AUTO_TEST_CASE(a_block_adds_its_input) {
  esp::model<nn::ResidualBlock<4, 2, nn::use_layer_norm>, esp::cpu, double> model{esp::seed{1}};
  BOOST_TEST(
      parameter_list(model) ==
      "0.fn.0.weight(4,2) 0.fn.0.bias(1,2) 0.fn.1.weight(2) 0.fn.1.bias(2) 0.fn.4.weight(2,4) 0.fn.4.bias(1,4) 0.fn.5.weight(4) 0.fn.5.bias(4)");
  // A last norm of gain 0 leaves its bias: relu(x + bias).
  assign(model.parameter("0.fn.5.weight"), {0, 0, 0, 0});
  assign(model.parameter("0.fn.5.bias"), {1, 2, 3, -40});
  BOOST_TEST(model(esp::tensor<double, shape<1, 4>>{{1, 1, -5, 1}}) ==
             (esp::tensor<double, shape<1, 4>>{{2, 3, 0, 0}}));
}
BOOST_AUTO_TEST_CASE(blocks_are_numbered) {
  esp::model<nn::MLPResNet<6, 4, 2, 3>> model;
  BOOST_TEST(parameter_list(model).find("2.1.0.fn.4.weight(2,4)") != std::string::npos);
  BOOST_TEST(model.parameter("3.weight").shape() == (esp::extents{2, {4, 3}}));
}
