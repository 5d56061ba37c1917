// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE storage_half
#include <boost/test/unit_test.hpp>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <sstream>
#include <type_traits>

#include <espalier/storage/all_close.hpp>
#include <espalier/storage/half.hpp>
#include <espalier/storage/print.hpp>
#include <espalier/storage/tensor.hpp>

using espalier::bfloat16;
using espalier::half;
using espalier::shape;
using espalier::tensor;

namespace {

static_assert(sizeof(half) == 2 && alignof(half) == 2 && std::is_trivial_v<half>);
static_assert(sizeof(bfloat16) == 2 && alignof(bfloat16) == 2 && std::is_trivial_v<bfloat16>);
static_assert(std::is_convertible_v<half, float> && !std::is_convertible_v<float, half> &&
              !std::is_convertible_v<half, bfloat16>);
static_assert(half(1.0f).bits == 0x3c00 && half(-2).bits == 0xc000 && half(65504.0).bits == 0x7bff &&
              half(0.1f).bits == 0x2e66);
static_assert(half(65519.996f).bits == 0x7bff && half(65520.0f).bits == 0x7c00 && half(1e300).bits == 0x7c00 &&
              half(-1e300).bits == 0xfc00);
static_assert(half(0x1p-24f).bits == 1 && half(0x1p-25f).bits == 0 && half(0x1.000002p-25f).bits == 1 &&
              half(0x1.ff8p-15f).bits == 0x3ff && half(0x1.ffcp-15f).bits == 0x400);
static_assert(half(-0.0f).bits == 0x8000 && half(1e-300).bits == 0 && half(-1e-300).bits == 0x8000);
static_assert(bfloat16(1.0f).bits == 0x3f80 && bfloat16(0x1.01p0f).bits == 0x3f80 &&
              bfloat16(0x1.03p0f).bits == 0x3f82 && bfloat16(1e300).bits == 0x7f80);
static_assert(bfloat16(std::numeric_limits<float>::max()).bits == 0x7f80 &&
              bfloat16(std::numeric_limits<double>::lowest()).bits == 0xff80);
// Rounded twice, once to float and once to 16 bits, these would go down to the even neighbour.
static_assert(half(1 + 0x1p-11 + 0x1p-40).bits == 0x3c01 && half(1 + 0x1p-11).bits == 0x3c00 &&
              half(-1 - 0x1p-11 - 0x1p-40).bits == 0xbc01);
static_assert(bfloat16(1 + 0x1p-8 + 0x1p-40).bits == 0x3f81 && bfloat16(1 + 0x1p-8 - 0x1p-40).bits == 0x3f80);
static_assert(half(0x1p-25 + 0x1p-70).bits == 1 && bfloat16(0x1p-134 + 0x1p-160).bits == 1);
static_assert(static_cast<float>(half(0.1f)) == 0x1.998p-4f && half(2.0f) * half(3.0f) == 6.0f &&
              half(1.0f) < half(1.5f));

/// The value of 16 bits, read as the format says: sign, exponent with a bias, fraction.
double value(std::uint16_t bits, int exponent_bits) {
  int const fraction_bits = 15 - exponent_bits, bias = (1 << (exponent_bits - 1)) - 1;
  int const fraction = bits & ((1 << fraction_bits) - 1), exponent = bits >> fraction_bits & ((1 << exponent_bits) - 1);
  double const sign = bits & 0x8000 ? -1.0 : 1.0;
  if (exponent == (1 << exponent_bits) - 1)
    return fraction != 0 ? std::nan("") : sign * std::numeric_limits<double>::infinity();
  if (exponent == 0) return sign * std::ldexp(fraction, 1 - bias - fraction_bits);
  return sign * std::ldexp(fraction + (1 << fraction_bits), exponent - bias - fraction_bits);
}

template <class T, int ExponentBits>
void all_patterns_come_back() {
  int wrong = 0;
  for (int i = 0; i < 65536; ++i) {
    T x{};
    x.bits = static_cast<std::uint16_t>(i);
    double const expected = value(x.bits, ExponentBits);
    float const wide = x;
    bool const same = std::isnan(expected)
                          ? std::isnan(wide)
                          : static_cast<double>(wide) == expected && std::signbit(wide) == std::signbit(expected);
    bool const back = T(wide).bits == x.bits &&
                      (std::isnan(expected) ? std::isnan(static_cast<float>(T(expected))) : T(expected).bits == x.bits);
    wrong += !same || !back;
  }
  BOOST_TEST(wrong == 0);
}

/// Around the middle between two neighbours, for all of them: below goes down, above goes up, the middle goes to the
/// even one.
template <class T, int ExponentBits>
void rounds_to_nearest() {
  int wrong = 0;
  for (int i = 0; i < 65536; ++i) {
    T x{}, next{};
    x.bits = static_cast<std::uint16_t>(i);
    next.bits = static_cast<std::uint16_t>(i + 1);
    double const a = value(x.bits, ExponentBits);
    if (!std::isfinite(a)) continue;
    // Beyond the largest number lies what the next would be.
    double const b = std::isinf(value(next.bits, ExponentBits))
                         ? a + (a - value(static_cast<std::uint16_t>(i - 1), ExponentBits))
                         : value(next.bits, ExponentBits);
    double const middle = a / 2 + b / 2;
    std::uint16_t const even = i % 2 == 0 ? x.bits : next.bits;
    double const beyond = std::nextafter(middle, b), before = std::nextafter(middle, a);
    wrong += T(middle).bits != even || T(beyond).bits != next.bits || T(before).bits != x.bits;
    float const m = static_cast<float>(middle);
    // Of bfloat16 the largest one's middle is a float, too; all middles are.
    wrong += static_cast<double>(m) != middle || T(m).bits != even;
    wrong += T(std::nextafter(m, static_cast<float>(a))).bits != x.bits ||
             T(std::nextafter(m, static_cast<float>(2 * b))).bits != next.bits;
  }
  BOOST_TEST(wrong == 0);
}

}  // namespace

BOOST_AUTO_TEST_CASE(every_pattern_comes_back) {
  all_patterns_come_back<half, 5>();
  all_patterns_come_back<bfloat16, 8>();
}

BOOST_AUTO_TEST_CASE(rounding) {
  rounds_to_nearest<half, 5>();
  rounds_to_nearest<bfloat16, 8>();
}

BOOST_AUTO_TEST_CASE(not_a_number) {
  float const nan = std::numeric_limits<float>::quiet_NaN();
  BOOST_TEST(std::isnan(static_cast<float>(half(nan))));
  BOOST_TEST(std::isnan(static_cast<float>(half(std::nan("")))));
  BOOST_TEST(std::isnan(static_cast<float>(bfloat16(-nan))));
  BOOST_TEST(std::isnan(static_cast<float>(bfloat16(std::bit_cast<float>(0x7f800001u)))));
  BOOST_TEST(std::isnan(static_cast<float>(half(std::bit_cast<float>(0xff800001u)))));
  BOOST_TEST((half(nan) != half(nan)));
}

BOOST_AUTO_TEST_CASE(tensors) {
  tensor<float, shape<2, 3>> const x{{1, 2.5f, -0.1f}, {70000, 0, 1e-8f}};
  tensor<half, shape<2, 3>> const y(x);
  BOOST_TEST(y(0, 2).bits == half(-0.1f).bits);
  tensor<double, shape<2, 3>> const back(y);
  BOOST_TEST(back(0, 1) == 2.5);
  BOOST_TEST(std::isinf(back(1, 0)));
  BOOST_TEST(back(1, 2) == 0);
  tensor<bfloat16, shape<2, 3>> const z(y);
  BOOST_TEST(z(0, 2).bits == bfloat16(static_cast<float>(half(-0.1f))).bits);
  tensor<half, shape<3>> const list{1, 2.5, 3.0f};
  std::ostringstream out;
  out << list;
  BOOST_TEST(out.str() == "[  1, 2.5,   3]");
  BOOST_TEST(all_close(list, tensor<float, shape<3>>{1, 2.5f, 3}));
  BOOST_TEST(!all_close(list, tensor<float, shape<3>>{1, 2.5f, 4}));
  tensor<std::int32_t, shape<3>> const whole(list);
  BOOST_TEST(whole[1] == 2);
  tensor<half, shape<3>> filled;
  BOOST_TEST(filled[2] == 0.0f);
  filled.fill(half(0.5f));
  BOOST_TEST(filled[2] == 0.5f);
}

BOOST_AUTO_TEST_CASE(constant_expressions) {
  constexpr tensor<half, shape<2>> x{1, 0.1};
  constexpr tensor<float, shape<2>> y(x);
  static_assert(y[0] == 1.0f && y[1] == 0x1.998p-4f);
  BOOST_TEST(y[0] == 1.0f);
}
