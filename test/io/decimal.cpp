// SPDX-License-Identifier: BSL-1.0
#define ESPALIER_TEST_DECIMAL  // both ways
#define BOOST_TEST_MODULE io_decimal
#include <boost/test/unit_test.hpp>

#include <espalier/io/decimal.hpp>

#include <cstring>

namespace detail = espalier::io::detail;

// The way with strtod reads what std::from_chars reads: the same number, as far, with the same fault.
BOOST_AUTO_TEST_CASE(both_ways_read_the_same) {
  for (char const* const text : {"0",
                                 "-0",
                                 "1.5",
                                 "-1.5e3",
                                 "1e",
                                 "1e+",
                                 "1e-5x",
                                 "2.",
                                 ".5",
                                 ".",
                                 "-",
                                 "",
                                 "+1",
                                 " 1",
                                 "0x10",
                                 "1,5",
                                 "inf",
                                 "-INF",
                                 "infinity!",
                                 "infinit",
                                 "nan",
                                 "Nan",
                                 "na",
                                 "1e400",
                                 "-1e400",
                                 "1e-400",
                                 "4.9e-324",
                                 "2.2250738585072011e-308",
                                 "0.1",
                                 "123456789012345678901234567890",
                                 "1.7976931348623157e308",
                                 "e5",
                                 "--1",
                                 "1..2",
                                 "9007199254740993"}) {
    double one = 7, two = 7;
    char const* const last = text + std::strlen(text);
    auto const expected = detail::read_decimal(text, last, one);
    auto const actual = detail::decimal_text{text, last}.read(two);
    BOOST_TEST((actual.fault == expected.fault), text);
    if (expected.fault == std::errc{}) {
      BOOST_TEST(actual.at - text == expected.at - text, text);
      BOOST_TEST((std::memcmp(&one, &two, sizeof one) == 0 || (one != one && two != two)), text);
    }
  }
}

BOOST_AUTO_TEST_CASE(the_locale_is_nothing_to_it) {
  if (std::setlocale(LC_NUMERIC, "de_DE.UTF-8") == nullptr) return;
  double x = 0;
  char const text[] = "2.5";
  BOOST_TEST((detail::decimal_text{text, text + 3}.read(x).fault == std::errc{}));
  BOOST_TEST(x == 2.5);
  std::setlocale(LC_NUMERIC, "C");
}
