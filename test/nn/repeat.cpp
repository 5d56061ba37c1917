// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE nn_repeat
#include <boost/test/unit_test.hpp>

#include "support/nets.hpp"

using namespace test;
using esp::shape, esp::tensor;

namespace {
using block = nn::Residual<nn::Sequential<nn::Linear<6, 2>, nn::ReLU, nn::Linear<2, 6>>>;
using four = nn::Repeat<4, block>;
using one_by_one = nn::Sequential<block, block, block, block>;
}  // namespace

static_assert(esp::parameter_count<four> == esp::parameter_count<one_by_one> &&
              esp::parameter_count<nn::Repeat<0, block>> == 0);
static_assert(esp::output_shape<four, shape<3, 6>> == shape<3, 6>{} &&
              esp::output_shape<nn::Repeat<0, block>, shape<2, 7>> == shape<2, 7>{});

// The same names, the same first values, the same training as the blocks written one after the other.
BOOST_AUTO_TEST_CASE(is_a_sequence_of_its_blocks) {
  esp::model<four> a{esp::seed{7}};
  esp::model<one_by_one> b{esp::seed{7}};
  BOOST_TEST(parameter_list(a) == parameter_list(b));
  BOOST_TEST(copy(a.parameters()) == copy(b.parameters()), boost::test_tools::per_element());
  auto const x = floats<3, 6>(1);
  BOOST_TEST(a(x) == b(x));
  esp::trainer train_a{a, nn::SoftmaxLoss{}, optim::Adam{}, esp::batch<3, 6>{}};
  esp::trainer train_b{b, nn::SoftmaxLoss{}, optim::Adam{}, esp::batch<3, 6>{}};
  auto const y = labels<3>(2, 6);
  for (int i = 0; i < 5; ++i) BOOST_TEST(train_a.step(x, y) == train_b.step(x, y));
  BOOST_TEST(copy(a.parameters()) == copy(b.parameters()), boost::test_tools::per_element());
}
BOOST_AUTO_TEST_CASE(names) {
  esp::model<nn::Sequential<nn::Repeat<11, nn::BatchNorm1d<2>>, nn::Linear<2, 1>>> model;
  BOOST_TEST(static_cast<bool>(model.parameter("0.10.weight")));
  BOOST_TEST(!static_cast<bool>(model.find_parameter("0.11.weight")));
  BOOST_TEST(static_cast<bool>(model.buffer("0.10.running_var")));
  BOOST_TEST(static_cast<bool>(model.parameter("1.bias")));
}
// Each block has parameters, buffers and draws of its own.
BOOST_AUTO_TEST_CASE(blocks_do_not_share) {
  esp::model<nn::Repeat<3, nn::Sequential<nn::BatchNorm1d<4>, nn::Dropout<0.5>>>, esp::cpu, double> model;
  assign(model.parameter("1.0.bias"), {1, 2, 3, 4});
  assign(model.parameter("2.0.weight"), {2, 2, 2, 2});
  tensor<double, shape<4, 4>> const x = doubles<4, 4>(1);
  double const root = std::sqrt(1 + 1e-5);
  auto const z = model(x);
  for (int i = 0; i < 16; ++i) BOOST_TEST(near(z[i], ((x[i] / root) / root + (i % 4 + 1)) / root * 2));
  auto const trained = training_output(model, x);
  int zeros = 0;
  for (double const v : trained) zeros += v == 0;
  BOOST_TEST(zeros > 4);
}
BOOST_AUTO_TEST_CASE(nothing_repeated_changes_nothing) {
  auto const x = floats<2, 3>(1);
  BOOST_TEST((esp::model<nn::Repeat<0, block>>{}(x) == x));
}
