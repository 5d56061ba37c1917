// SPDX-License-Identifier: BSL-1.0
// Norms of what does not deviate: a row, channel or group of equal elements. y = 0, and every gradient is a number.
#define BOOST_TEST_MODULE law_norm_no_deviation
#include <boost/test/unit_test.hpp>

#include "support/norms.hpp"

using namespace test;
using esp::shape, esp::tensor;

namespace {
template <class M, class S>
void check_constant(char const* name, float value) {
  tensor<float, S> x;
  x.fill(value);
  auto const k = numbers<float, S>(2);
  esp::model<watched<M, S>> model;
  auto const gradients = esp::value_and_grad(model, Weighted{})(x, k).gradients;
  BOOST_TEST_CONTEXT(name << " of " << value) {
    // What rounding leaves of x - mean is divided by sqrt(eps).
    double const rounding = 1e-5 * std::fabs(static_cast<double>(value)) + 1e-6;
    for (float const y : model.buffer("output").span()) BOOST_TEST(std::fabs(static_cast<double>(y)) <= rounding);
    gradients.for_each_parameter([](char const*, esp::extents const&, auto span) {
      for (float const gradient : span) BOOST_TEST(std::isfinite(gradient));
    });
    model.for_each_buffer([](char const*, esp::extents const&, auto span) {
      for (float const statistic : span) BOOST_TEST(std::isfinite(statistic));
    });
  }
}
}  // namespace

BOOST_AUTO_TEST_CASE(no_deviation) {
  for (float const value : {0.f, 0.1f, -3.f, 1e4f, 12345.678f, 1e10f}) {
    check_constant<nn::LayerNorm1d<7>, shape<3, 7>>("layer", value);
    check_constant<nn::BatchNorm1d<3>, shape<7, 3>>("batch", value);
    check_constant<nn::BatchNorm2d<2>, shape<3, 2, 3, 3>>("images", value);
    check_constant<nn::GroupNorm<2, 6>, shape<2, 6, 5>>("groups", value);
    check_constant<nn::InstanceNorm<2>, shape<3, 2, 7>>("instances", value);
  }
  check_constant<nn::RMSNorm<shape<7>>, shape<3, 7>>("root mean square", 0);
}
