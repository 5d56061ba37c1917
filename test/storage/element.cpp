// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE storage_element
#include <boost/test/unit_test.hpp>

#include <span>

#include <espalier/storage/element.hpp>

using espalier::span;

static_assert(espalier::Element<float> && espalier::Element<double> && espalier::Element<std::int32_t> &&
              espalier::Element<bool>);
static_assert(!espalier::Element<long double> && !espalier::Element<char> && !espalier::Element<float const>);
static_assert(espalier::RealElement<double> && !espalier::RealElement<std::int32_t>);
static_assert(espalier::Element<espalier::half> && espalier::Element<espalier::bfloat16> &&
              !espalier::RealElement<espalier::half>);
static_assert(std::is_convertible_v<span<float>, span<float const>> &&
              !std::is_convertible_v<span<float const>, span<float>>);

BOOST_AUTO_TEST_CASE(a_span_borrows) {
  float memory[]{1, 2, 3, 4};
  span<float> const all{memory, 4};
  all[1] = 7;
  BOOST_TEST(memory[1] == 7.0f);
  float sum = 0;
  for (float const x : all) sum += x;
  BOOST_TEST(sum == 15.0f);
  BOOST_TEST((all.front() == 1.0f && all.back() == 4.0f && all.size() == 4 && !all.empty()));
  BOOST_TEST((span<float>{}.empty()));
  span<float const> const part = all.part(2, 2);
  BOOST_TEST((part.size() == 2 && part[0] == 3.0f));
}

BOOST_AUTO_TEST_CASE(a_span_converts_to_the_standard_one) {
  float memory[]{1, 2, 3};
  span<float> const ours{memory, 3};
  std::span<float> const standard{ours};
  BOOST_TEST((standard.size() == 3 && standard.data() == memory));
}
