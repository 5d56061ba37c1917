// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE optim_loss_scale_error
#include <espalier/optim/loss_scale_error.hpp>

#include <boost/test/unit_test.hpp>

#include <string>

BOOST_AUTO_TEST_CASE(the_error_names_the_number_its_range_and_its_value) {
  espalier::loss_scale_error const error{"growth_factor", "from 1 to 2^126", 0.5};
  BOOST_TEST(std::string{error.what()} == "optim::scale_loss: expected growth_factor from 1 to 2^126, got 0.5");
  std::exception const& base = error;
  BOOST_TEST(std::string{base.what()} == error.what());
  espalier::loss_scale_error const other{"x", "above 0", -1e-30};
  BOOST_TEST(std::string{other.what()} == "optim::scale_loss: expected x above 0, got -1e-30");
}
