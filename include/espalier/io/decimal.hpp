// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include <charconv>
#include <system_error>

#if !defined(__cpp_lib_to_chars) || defined(ESPALIER_TEST_DECIMAL)
#include <cerrno>
#include <clocale>
#include <cstdlib>
#include <string>
#endif

#include "../base/math.hpp"

/// Reads decimal numbers in the form of C++'s std::from_chars, whatever the locale. clang's library has that function
/// for integers only.
namespace espalier::io::detail {

/// The end of what was read, and std::errc{}, invalid_argument or result_out_of_range.
struct decimal_end {
  char const* at;
  std::errc fault;
};

#if !defined(__cpp_lib_to_chars) || defined(ESPALIER_TEST_DECIMAL)
/// The same with strtod, which reads more than these numbers (spaces, +, hexadecimals) and the locale's decimal point.
class decimal_text {
 public:
  decimal_text(char const* first, char const* last) : first_{first}, at_{first}, last_{last} {}

  decimal_end read(double& to) {
    skip('-');
    if (!skip_number() && !skip_word("infinity") && !skip_word("inf") && !skip_word("nan"))
      return {first_, std::errc::invalid_argument};
    std::string text{first_, at_};
    if (point_ != nullptr) text.replace(static_cast<std::size_t>(point_ - first_), 1, std::localeconv()->decimal_point);
    errno = 0;
    double const value = std::strtod(text.c_str(), nullptr);
    // Subnormal numbers are in range.
    if (errno == ERANGE && (value == 0 || !math::isfinite(value))) return {at_, std::errc::result_out_of_range};
    to = value;
    return {at_, std::errc{}};
  }

 private:
  bool skip(char c) {
    bool const is = at_ != last_ && *at_ == c;
    at_ += is ? 1 : 0;
    return is;
  }
  int skip_digits() {
    char const* const begin = at_;
    while (at_ != last_ && *at_ >= '0' && *at_ <= '9') ++at_;
    return static_cast<int>(at_ - begin);
  }
  bool skip_number() {
    char const* const begin = at_;
    int digits = skip_digits();
    if (char const* const point = at_; skip('.')) {
      digits += skip_digits();
      point_ = point;
    }
    if (digits == 0) {
      at_ = begin;
      point_ = nullptr;
      return false;
    }
    // An e without digits is behind the number.
    char const* const exponent = at_;
    if (skip('e') || skip('E')) {
      if (!skip('-')) (void)skip('+');
      if (skip_digits() == 0) at_ = exponent;
    }
    return true;
  }
  bool skip_word(char const* word) {
    char const* at = at_;
    for (; *word != 0; ++word, ++at)
      if (at == last_ || (*at != *word && *at != *word - 'a' + 'A')) return false;
    at_ = at;
    return true;
  }

  char const *first_, *at_, *last_, *point_ = nullptr;
};
#endif

inline decimal_end read_decimal(char const* first, char const* last, double& to) {
#if defined(__cpp_lib_to_chars)
  auto const [end, fault] = std::from_chars(first, last, to);
  return {end, fault};
#else
  return decimal_text{first, last}.read(to);
#endif
}

}  // namespace espalier::io::detail
#include "../base/diagnostics_pop.hpp"
