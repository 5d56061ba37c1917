// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "diagnostics_push.hpp"

#include <exception>

#include "error_text.hpp"
#include "host_device.hpp"
#include "math.hpp"
#include "raise.hpp"

namespace espalier {

namespace detail {

/// What the compiler may use here, for the names of functions that compute with numbers and are not inlined: two
/// translation units of different flags must not share one.
#if defined(__AVX512F__)
inline constexpr int number_registers = 3;
#elif defined(__AVX2__)
inline constexpr int number_registers = 2;
#elif defined(__AVX__)
inline constexpr int number_registers = 1;
#else
inline constexpr int number_registers = 0;
#endif

}  // namespace detail

/// A number that a program sets (a hyperparameter, an option) is outside the range that its documentation states. The
/// error names the number, its range and its value. Thrown before anything is computed or changed: when the object is
/// constructed, and by the first use after the number was changed.
class option_error : public std::exception {
 public:
  template <int Registers = detail::number_registers>
  [[gnu::cold, gnu::noinline]] option_error(char const* where, char const* name, char const* range,
                                            double value) noexcept {
    text_ << where << ": expected " << name << " " << range << ", got ";
    write<Registers>(value);
  }
  char const* what() const noexcept override { return text_.text(); }

 private:
  /// Writes a number with nine digits, as %.9g does. Formatted output would cost a bare processor some 20 KB.
  template <int Registers>
  [[gnu::cold, gnu::noinline]] void write(double x) noexcept {
    if (math::is_finite(x) == 0) {
      text_ << (math::isnan(x) ? "nan" : x < 0 ? "-inf" : "inf");
      return;
    }
    if (x < 0) text_ << "-";
    double rest = x < 0 ? -x : x;
    if (rest == 0) {
      text_ << "0";
      return;
    }
    int exponent = 8;  // of the first digit, once rest has nine digits before its point
    for (; rest >= 1e9; rest /= 10) ++exponent;
    for (; rest < 1e8; rest *= 10) --exponent;
    auto digits = static_cast<std::int64_t>(rest + 0.5);
    if (digits == 1000000000) {
      digits = 100000000;
      ++exponent;
    }
    char each[10]{};
    int count = 0;  // without zeros at the end
    for (int i = 8; i >= 0; --i, digits /= 10) {
      each[i] = static_cast<char>('0' + digits % 10);
      if (count == 0 && each[i] != '0') count = i + 1;
    }
    bool const scientific = exponent < -4 || exponent > 8;
    int const point = scientific ? 1 : exponent + 1;  // digits before the point
    char one[2]{};
    if (point <= 0) text_ << "0.";
    for (int i = point; i < 0; ++i) text_ << "0";
    for (int i = 0; i < count || i < point; ++i) {
      if (i == point && i > 0) text_ << ".";
      one[0] = each[i];
      text_ << one;
    }
    if (scientific) text_ << "e" << std::int64_t{exponent};
  }

  detail::error_text text_;
};

namespace detail {

/// The ranges of options. Every range has finite numbers only, except that limits above 0 may be infinite.
enum class option_range { at_least_0, above_0, below_1, to_1, at_least_1 };

ESPALIER_INLINE constexpr bool is_in_range(double x, option_range range) {
  // is_finite inspects the bits, so a NaN is found with -ffast-math, too. No element type that computes exceeds float.
  if (range == option_range::above_0) return !math::isnan(x) && x > 0;
  if (math::is_finite(x) == 0 || x > __FLT_MAX__) return false;
  return range == option_range::at_least_1
             ? x >= 1
             : x >= 0 && (range == option_range::at_least_0 || (range == option_range::below_1 ? x < 1 : x <= 1));
}
template <int Registers = number_registers>
[[noreturn, gnu::cold, gnu::noinline]] void raise_option(char const* where, char const* name, double value,
                                                         option_range range) {
  constexpr char const* words[] = {"of at least 0 and finite", "above 0", "in [0, 1)", "in [0, 1]",
                                   "of at least 1 and finite"};
  raise(option_error(where, name, words[static_cast<int>(range)], value));
}
/// A function of its own: optimizers check five numbers.
/// errors  option_error if a number is outside its range; in a constant expression, no constant
template <int Registers = number_registers>
[[gnu::noinline]] constexpr void check_option(char const* where, char const* name, double value, option_range range) {
  if (!is_in_range(value, range)) raise_option(where, name, value, range);
}

}  // namespace detail

}  // namespace espalier
#include "diagnostics_pop.hpp"
