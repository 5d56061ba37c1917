// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE model_calibration
#include <boost/test/unit_test.hpp>

#include <limits>
#include <string>
#include <tuple>
#include <vector>

#include <espalier/model/calibration.hpp>

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

/// The ranges are those of each product's input over all batches, and contain 0.
BOOST_AUTO_TEST_CASE(ranges_are_those_of_all_batches) {
  esp::model<Net> model{esp::seed{1}};
  esp::calibration calibration{model, esp::batch<2, 3>{}};
  static_assert(decltype(calibration)::products == 2);
  BOOST_TEST(!calibration.has_data());
  tensor<float, shape<2, 3>> x;
  for (int i = 0; i < 6; ++i) x[i] = 0.5f + static_cast<float>(i);
  calibration(x);
  BOOST_TEST(calibration.has_data());
  BOOST_TEST(calibration.ranges()[0] == 0);
  BOOST_TEST(calibration.ranges()[1] == 5.5f);
  BOOST_TEST(calibration.ranges()[2] == 0);  // behind ReLU
  for (int i = 0; i < 6; ++i) x[i] = -x[i];
  calibration(x);
  BOOST_TEST(calibration.ranges()[0] == -5.5f);
  BOOST_TEST(calibration.ranges()[1] == 5.5f);

  // What the second product reads, computed by the model itself.
  float largest = 0;
  for (float const sign : {-1.0f, 1.0f})
    for (int n = 0; n < 2; ++n)
      for (int j = 0; j < 4; ++j) {
        float sum = 0;
        int number = 0;
        model.for_each_parameter([&](char const*, esp::extents const&, auto span) {
          if (number == 0)
            for (int k = 0; k < 3; ++k)
              sum += sign * (0.5f + static_cast<float>(3 * n + k)) * span[static_cast<std::size_t>(4 * k + j)];
          if (number == 1) sum += span[static_cast<std::size_t>(j)];
          ++number;
        });
        largest = std::max(largest, sum);
      }
  BOOST_TEST(std::fabs(calibration.ranges()[3] - largest) < 1e-5f * largest);
}

BOOST_AUTO_TEST_CASE(numbers_that_are_not_finite_are_refused_and_change_nothing) {
  esp::model<Net> model{esp::seed{1}};
  esp::calibration calibration{model, esp::batch<1, 3>{}};
  tensor<float, shape<1, 3>> x;
  for (float const bad : {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity(),
                          -std::numeric_limits<float>::infinity()}) {
    x.fill(9);
    x[1] = bad;
    BOOST_CHECK_EXCEPTION(calibration(x), esp::quantization_error, [](esp::quantization_error const& e) {
      return std::string{e.what()} == "calibration(x...): product 0: expected finite numbers, got a NaN or an infinity";
    });
    for (int i = 0; i < 4; ++i) BOOST_TEST(calibration.ranges()[i] == 0);
    BOOST_TEST(!calibration.has_data());
  }
}

BOOST_AUTO_TEST_CASE(a_net_of_several_inputs_has_a_batch_for_each) {
  esp::model<Two> model{esp::seed{1}};
  esp::calibration calibration{model, esp::batch<2, 4>{}, esp::batch<2, 5>{}};
  static_assert(decltype(calibration)::products == 2);
  std::vector<float> const x(8, 2.0f);  // a range of numbers
  tensor<float, shape<2, 5>> h;
  h.fill(-3);
  calibration(x, h);
  // forward calls the second layer first.
  BOOST_TEST(calibration.ranges()[0] == -3);
  BOOST_TEST(calibration.ranges()[3] == 2);
}
