// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE model_result_calibration
#include <boost/test/unit_test.hpp>

#include <limits>
#include <tuple>

#include <espalier/model/result_calibration.hpp>

#include "support/nets.hpp"

using namespace test;
using esp::shape, esp::tensor;

namespace {

struct Two {
  nn::Linear<4, 3> first;
  nn::Linear<5, 3> second;
  ESPALIER_MODULE(Two, first, second)
  constexpr auto forward(auto x, auto h) const {
    auto const y = second(h);
    return std::tuple{first(x) + y, y};
  }
};
using Net = nn::Sequential<nn::Linear<3, 4>, nn::ReLU, nn::Linear<4, 2>>;

}  // namespace

/// What the first product returns, behind its ReLU, the second reads; the second returns the net's result.
BOOST_AUTO_TEST_CASE(ranges_are_those_of_results_over_all_batches) {
  esp::model<Net> model{esp::seed{1}};
  esp::calibration calibration{model, esp::batch<2, 3>{}};
  esp::result_calibration results{model, esp::batch<2, 3>{}};
  static_assert(decltype(results)::products == 2);
  BOOST_TEST(!results.has_data());
  esp::predictor predict{model, esp::batch<2, 3>{}};
  float low = 0, high = 0;
  for (unsigned seed = 1; seed < 4; ++seed) {
    auto const x = numbers<float, shape<2, 3>>(seed);
    calibration(x);
    results(x);
    tensor<float, shape<2, 2>> y;
    predict(x, y);
    for (int i = 0; i < 4; ++i) {
      low = std::fmin(low, y[i]);
      high = std::fmax(high, y[i]);
    }
  }
  BOOST_TEST(results.has_data());
  BOOST_TEST(results.ranges()[0] == 0);
  BOOST_TEST(std::fabs(results.ranges()[1] - calibration.ranges()[3]) <= 1e-6f * results.ranges()[1]);
  BOOST_TEST(std::fabs(results.ranges()[2] - low) < 1e-5f);
  BOOST_TEST(std::fabs(results.ranges()[3] - high) < 1e-5f);
  BOOST_TEST(high > low);
}

BOOST_AUTO_TEST_CASE(a_net_of_several_inputs_has_a_batch_for_each) {
  esp::model<Two> model{esp::seed{1}};
  esp::result_calibration results{model, esp::batch<2, 4>{}, esp::batch<2, 5>{}};
  tensor<float, shape<2, 4>> x;
  tensor<float, shape<2, 5>> h;
  x.fill(2);
  h.fill(-3);
  results(x, h);
  for (int k = 0; k < 2; ++k) BOOST_TEST(results.ranges()[2 * k] < results.ranges()[2 * k + 1]);
}

BOOST_AUTO_TEST_CASE(results_that_are_not_finite_are_rejected_and_change_nothing) {
  esp::model<Net> model{esp::seed{1}};
  esp::result_calibration results{model, esp::batch<1, 3>{}};
  tensor<float, shape<1, 3>> x;
  x.fill(std::numeric_limits<float>::quiet_NaN());
  BOOST_CHECK_THROW(results(x), esp::quantization_error);
  for (int i = 0; i < 4; ++i) BOOST_TEST(results.ranges()[i] == 0);
  BOOST_TEST(!results.has_data());
}
