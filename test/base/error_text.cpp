// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE base_error_text
#include <boost/test/unit_test.hpp>

#include <limits>
#include <string>
#include <type_traits>

#include <espalier/base/error_text.hpp>

using espalier::detail::error_text;

namespace {
template <class... X>
std::string written(X... x) {
  error_text text;
  static_cast<void>((text << ... << x));
  return text.text();
}
}  // namespace

BOOST_AUTO_TEST_CASE(words_and_numbers) {
  BOOST_TEST(written() == "");
  BOOST_TEST(written("labels: expected 0 to ", std::int64_t{9}, ", got ", std::int64_t{-10}) ==
             "labels: expected 0 to 9, got -10");
  BOOST_TEST(written(std::int64_t{0}) == "0");
  using limits = std::numeric_limits<std::int64_t>;
  BOOST_TEST(written(limits::max()) == std::to_string(limits::max()));
  BOOST_TEST(written(limits::min()) == std::to_string(limits::min()));
  for (std::int64_t power = 1; power > 0 && power < limits::max() / 10; power *= 10)
    for (std::int64_t value : {power - 1, power, -power, power * 3 + 7})
      BOOST_TEST(written(value) == std::to_string(value));
  for (int bits = 1; bits < 63; ++bits)
    BOOST_TEST(written(std::int64_t{1} << bits) == std::to_string(std::int64_t{1} << bits));
}

BOOST_AUTO_TEST_CASE(longer_text_is_cut) {
  std::string const word = "0123456789";
  std::string all;
  error_text text;
  for (int i = 0; i < 30; ++i) {
    text << word.c_str();
    all += word;
  }
  BOOST_TEST(text.text() == all.substr(0, 239));
  text << std::int64_t{7};
  BOOST_TEST(text.text() == all.substr(0, 239));

  error_text numbers;
  std::string digits;
  for (int i = 0; i < 100; ++i) {
    numbers << std::int64_t{12345};
    digits += "12345";
  }
  BOOST_TEST(numbers.text() == digits.substr(0, 239));
}

// An exception holds one: a copy must neither throw nor refer to the original.
BOOST_AUTO_TEST_CASE(copies_are_independent) {
  static_assert(std::is_nothrow_copy_constructible_v<error_text> && std::is_nothrow_copy_assignable_v<error_text>);
  error_text a;
  a << "first";
  error_text b{a};
  b << " copy";
  BOOST_TEST(a.text() == std::string("first"));
  BOOST_TEST(b.text() == std::string("first copy"));
  b = a;
  b << "!";
  BOOST_TEST(b.text() == std::string("first!"));
  error_text const& same = b;
  b = same;
  BOOST_TEST(b.text() == std::string("first!"));
}
