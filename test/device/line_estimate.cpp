// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE device_line_estimate
#include <boost/test/unit_test.hpp>

#include <espalier/device/line_estimate.hpp>
#include <espalier/operation/estimated_sum.hpp>
#include <vector>

namespace esp = espalier;
using esp::estimated_sum_;
namespace on_device = esp::on_device;

namespace {

template <int Length>
double estimate(std::vector<double> const& line) {
  using probed = on_device::probed_elements<Length>;
  return on_device::estimate_line<estimated_sum_, Length>(line.at(probed::first), line.at(probed::middle),
                                                          line.at(probed::last));
}

}  // namespace

BOOST_AUTO_TEST_CASE(the_estimate_is_the_median_of_first_middle_and_last_times_the_length) {
  BOOST_TEST(estimate<5>({1, 100, 3, 100, 2}) == 10);
  BOOST_TEST(estimate<5>({3, 100, 2, 100, 1}) == 10);
  BOOST_TEST(estimate<5>({2, 100, 1, 100, 3}) == 10);
}

BOOST_AUTO_TEST_CASE(one_outlier_does_not_change_the_estimate) {
  BOOST_TEST(estimate<4>({1e30, 0, 7, 7}) == 28);
  BOOST_TEST(estimate<4>({7, 0, -1e30, 7}) == 28);
}

BOOST_AUTO_TEST_CASE(lines_of_one_and_of_two_elements_have_an_estimate) {
  BOOST_TEST(estimate<1>({-4}) == -4);
  BOOST_TEST(estimate<2>({5, 9}) == 18);
}

BOOST_AUTO_TEST_CASE(the_length_is_exact_in_double) {
  constexpr int length = (1 << 24) + 1;
  BOOST_TEST((on_device::estimate_line<estimated_sum_, length>(1.0, 1.0, 1.0)) == length);
}
