// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE nn_nll_loss
#include <boost/test/unit_test.hpp>

#include "support/check_pullback.hpp"
#include "support/losses.hpp"

using namespace test;
using esp::shape, esp::tensor;

BOOST_AUTO_TEST_CASE(mean_and_its_gradient) {
  auto const x = doubles<5, 4>(1, -3, 0);
  auto const y = labels<5>(2, 4);
  auto const [loss, gradients] = loss_of<double, nn::NLLLoss<>>(x, y);
  double expected = 0;
  for (int n = 0; n < 5; ++n) {
    expected -= x(n, y[n]) / 5;
    for (int c = 0; c < 4; ++c) BOOST_TEST(near(gradients.span()[n * 4 + c], c == y[n] ? -0.2 : 0));
  }
  BOOST_TEST(near(loss, expected));
}
BOOST_AUTO_TEST_CASE(weights_and_an_ignored_label) {
  using loss = nn::NLLLoss<esp::label_loss{.ignore_index = -1}, nn::class_weights<1.0, 3.0>>;
  tensor<double, shape<3, 2>> const x{{-1, -2}, {-3, -4}, {-5, -6}};
  auto const r = loss_of<double, loss>(x, tensor<std::int32_t, shape<3>>{0, -1, 1});
  BOOST_TEST(near(r.loss, (1 + 18) / 4.0));
  BOOST_TEST(near(r.gradients.span()[0], -0.25));
  BOOST_TEST(r.gradients.span()[2] == 0);
  BOOST_TEST(near(r.gradients.span()[5], -0.75));
}
BOOST_AUTO_TEST_CASE(a_net_that_ends_in_log_softmax_is_trained_as_one_that_does_not) {
  esp::model<nn::Sequential<nn::Linear<6, 3>, nn::LogSoftmax<1>>, esp::cpu, double> a;
  esp::model<nn::Sequential<nn::Linear<6, 3>>, esp::cpu, double> b;
  auto const x = doubles<8, 6>(1);
  auto const y = labels<8>(2, 3);
  esp::trainer train_a{a, nn::NLLLoss<>{}, optim::Adam{}, esp::batch<8, 6>{}};
  esp::trainer train_b{b, nn::CrossEntropyLoss<>{}, optim::Adam{}, esp::batch<8, 6>{}};
  for (int i = 0; i < 5; ++i) BOOST_TEST(near(train_a.step(x, y), train_b.step(x, y), 1e-9));
}
