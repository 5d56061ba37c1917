// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE storage_sample_count_error
#include <boost/test/unit_test.hpp>

#include <string>

#include <espalier/storage/sample_count_error.hpp>

namespace esp = espalier;

BOOST_AUTO_TEST_CASE(the_error_says_what_was_expected_and_what_came) {
  esp::sample_count_error const range{"view(elements, count)", 1, 64, 65};
  BOOST_TEST(std::string(range.what()) == "view(elements, count): expected 1 to 64 samples, got 65");
  esp::sample_count_error const one{"predictor(x, scores): scores", 17, 17, 16};
  BOOST_TEST(std::string(one.what()) == "predictor(x, scores): scores: expected 17 samples, got 16");
  esp::sample_count_error const part{"view(range)", esp::sample_count_error::part_of_sample{100, 64}};
  BOOST_TEST(std::string(part.what()) == "view(range): expected whole samples of 64 elements, got 100 elements");
}
