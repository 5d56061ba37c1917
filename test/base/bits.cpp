// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE base_bits
#include <boost/test/unit_test.hpp>

#include <cmath>
#include <limits>

#include <espalier/base/bits.hpp>

namespace math = espalier::math;

namespace {
template <class T>
using limits = std::numeric_limits<T>;

template <class T>
void check_numbers() {
  for (T const x : {T(0), -T(0), T(1), limits<T>::min(), limits<T>::denorm_min(), limits<T>::max(), limits<T>::lowest(),
                    limits<T>::infinity(), -limits<T>::infinity()}) {
    BOOST_TEST(!math::isnan(x));
    BOOST_TEST(math::as_written(x) == x);
  }
  for (T const x : {limits<T>::quiet_NaN(), -limits<T>::quiet_NaN(), limits<T>::signaling_NaN()})
    BOOST_TEST(math::isnan(x));
}
}  // namespace

BOOST_AUTO_TEST_CASE(bits_of_numbers) {
  static_assert(math::detail::bits_of(1.0f) == 0x3f800000u && math::detail::bits_of(-0.0f) == 0x80000000u);
  static_assert(math::detail::bits_of(-2.0) == 0xc000000000000000u && math::detail::bits_of(0.0) == 0);
  static_assert(math::detail::bits_of(math::infinity<float>) == math::detail::float_bits<float>::exponent);
}

BOOST_AUTO_TEST_CASE(infinity_and_nan) {
  static_assert(math::infinity<float> == limits<float>::infinity() &&
                math::infinity<double> == limits<double>::infinity());
  static_assert(math::isnan(math::not_a_number<float>) && math::isnan(math::not_a_number<double>));
  static_assert(!math::isnan(math::infinity<float>) && !math::isnan(-math::infinity<double>) && !math::isnan(1.5));
  BOOST_TEST(std::isnan(math::not_a_number<float>));
  BOOST_TEST(std::isnan(math::not_a_number<double>));
}

BOOST_AUTO_TEST_CASE(numbers_of_every_size_at_run_time) {
  check_numbers<float>();
  check_numbers<double>();
}

BOOST_AUTO_TEST_CASE(any_type_is_kept_as_it_is) {
  static_assert(math::as_written(3) == 3 && math::as_written(0.1f) == 0.1f);
}
