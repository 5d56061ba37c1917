// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE nn_softmax
#include <boost/test/unit_test.hpp>

#include "support/nets.hpp"

using namespace test;
using esp::shape, esp::tensor;

BOOST_AUTO_TEST_CASE(along_an_axis) {
  auto const x = doubles<2, 3, 4>(1, -3, 3);
  auto const last = esp::model<nn::Softmax<>, esp::cpu, double>{}(x),
             second = esp::model<nn::Softmax<1>, esp::cpu, double>{}(x);
  auto const logs = esp::model<nn::LogSoftmax<1>, esp::cpu, double>{}(x);
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 3; ++j)
      for (int k = 0; k < 4; ++k) {
        double of_last = 0, of_second = 0;
        for (int a = 0; a < 4; ++a) of_last += std::exp(x(i, j, a));
        for (int a = 0; a < 3; ++a) of_second += std::exp(x(i, a, k));
        BOOST_TEST(near(last(i, j, k), std::exp(x(i, j, k)) / of_last));
        BOOST_TEST(near(second(i, j, k), std::exp(x(i, j, k)) / of_second));
        BOOST_TEST(near(logs(i, j, k), x(i, j, k) - std::log(of_second)));
      }
}
BOOST_AUTO_TEST_CASE(log_softmax_of_the_last_axis) {
  auto const x = floats<3, 5>(1, -3, 3);
  auto const a = esp::model<nn::LogSoftmax<>>{}(x), b = esp::model<nn::Softmax<>>{}(x);
  for (int i = 0; i < 15; ++i) BOOST_TEST(near(static_cast<double>(std::exp(a[i])), static_cast<double>(b[i]), 1e-5));
}
