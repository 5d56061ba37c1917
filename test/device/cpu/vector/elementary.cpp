// SPDX-License-Identifier: BSL-1.0
// Accuracy of the elementary functions of packs over the whole range of their arguments: 10^6 of them here, and every
// float there is with -DESPALIER_STRIDE=1 (minutes for each function; --run_test=*/exp chooses one, --log_level=message
// tells the largest errors).
#define BOOST_TEST_MODULE device_cpu_vector_elementary
#include <boost/test/unit_test.hpp>

#include <bit>
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>

#include <espalier/base/philox.hpp>
#include <espalier/device/cpu/vector/simd.hpp>

#if !defined(ESPALIER_STRIDE)
#define ESPALIER_STRIDE 4099
#endif

namespace on_cpu = espalier::on_cpu;

namespace {

using narrow = on_cpu::detail::instruction_set_of_width<16>;
#if defined(__AVX__)
using middle = on_cpu::detail::instruction_set_of_width<32>;
#else
using middle = narrow;
#endif

struct exp_ {
  static auto of(auto x) { return exp(x); }
  template <class R>
  static R exact(R x) {
    return std::exp(x);
  }
};
struct log_ {
  static auto of(auto x) { return log(x); }
  template <class R>
  static R exact(R x) {
    return std::log(x);
  }
};
struct tanh_ {
  static auto of(auto x) { return tanh(x); }
  template <class R>
  static R exact(R x) {
    return std::tanh(x);
  }
};
struct sigmoid_ {
  static auto of(auto x) { return sigmoid(x); }
  template <class R>
  static R exact(R x) {
    return 1 / (1 + std::exp(-x));
  }
};
struct erf_ {
  static auto of(auto x) { return erf(x); }
  template <class R>
  static R exact(R x) {
    return std::erf(x);
  }
};
struct sin_ {
  static auto of(auto x) { return sin(x); }
  template <class R>
  static R exact(R x) {
    return std::sin(x);
  }
};
struct cos_ {
  static auto of(auto x) { return cos(x); }
  template <class R>
  static R exact(R x) {
    return std::cos(x);
  }
};

template <class T>
struct lane;
template <>
struct lane<float> {
  using bits = std::uint32_t;
  using exact = double;
  static constexpr int fraction = 23, least_exponent = -149;
};
template <>
struct lane<double> {
  using bits = std::uint64_t;
  using exact = long double;
  static constexpr int fraction = 52, least_exponent = -1074;
};

/// Distance in units of the last place of the exact result; 1e9 where a special value or a sign is missed. Subnormal
/// results are no exception.
template <class T>
double ulps(T got, typename lane<T>::exact expected) {
  using R = typename lane<T>::exact;
  if (std::isnan(expected)) return std::isnan(got) ? 0 : 1e9;
  if (std::isnan(got) || std::signbit(got) != std::signbit(expected)) return 1e9;
  T const nearest = static_cast<T>(expected);
  if (got == nearest) return expected == 0 || std::isinf(got) ? 0 : 0.5;  // at most: good enough here, and quick
  if (std::isinf(expected)) return 1e9;
  int exponent;
  std::frexp(expected, &exponent);
  int const unit = exponent - lane<T>::fraction - 1;
  R const number =
      std::isinf(got) ? std::copysign(std::ldexp(R(1), std::numeric_limits<T>::max_exponent), expected) : R(got);
  return static_cast<double>(
      std::ldexp(std::fabs(number - expected), -(unit < lane<T>::least_exponent ? lane<T>::least_exponent : unit)));
}

template <class T>
struct record {
  double most = 0;
  T at = 0;
  void operator()(double error, T x) {
    if (error > most) most = error, at = x;
  }
};

template <class T>
struct records {
  record<T> widest, middle, narrow;
};

/// The lanes of the widest of the registers that are tried. Those of the default are not if it has scalars.
template <class T>
inline constexpr int most_lanes = std::max({on_cpu::pack<T>::size, on_cpu::pack<T, middle>::size,
                                            on_cpu::pack<T, narrow>::size});

/// All numbers of x, whose number is that of the widest registers' lanes.
template <class F, class T, class Arch>
void compare(T const* x, typename lane<T>::exact const* expected, record<T>& worst) {
  using P = on_cpu::pack<T, Arch>;
  constexpr int all = most_lanes<T>;
  T y[std::size_t(all)];
  for (int i = 0; i < all; i += P::size) F::of(P::load(x + i)).store(y + i);
  for (int i = 0; i < all; ++i) worst(ulps(y[i], expected[i]), x[i]);
}

template <class F, class T>
struct sweep {
  static constexpr int all = most_lanes<T>;
  T x[std::size_t(all)] = {};
  int filled = 0;
  records<T> worst;

  void add(typename lane<T>::bits bits) {
    x[filled++] = std::bit_cast<T>(bits);
    if (filled == all) flush();
  }
  void flush() {
    using R = typename lane<T>::exact;
    R expected[std::size_t(all)];
    for (int i = 0; i < all; ++i) expected[i] = F::exact(R(x[i]));
    compare<F, T, on_cpu::default_arch>(x, expected, worst.widest);
    compare<F, T, middle>(x, expected, worst.middle);
    compare<F, T, narrow>(x, expected, worst.narrow);
    filled = 0;
  }
};

template <class F, class T>
records<T> everywhere(typename lane<T>::bits stride) {
  using bits = typename lane<T>::bits;
  sweep<F, T> s;
  bits const most = std::numeric_limits<bits>::max();
  for (bits i = 0;; i += stride) {
    s.add(i);
    if (most - i < stride) break;
  }
  if (stride > 1) {
    // Around every power of two and every power times 1.5: where exponents change, where halves are rounded, and around
    // zero and infinity.
    for (bits i = 0; i < (bits(1) << (sizeof(T) * 8 - lane<T>::fraction + 1)); ++i) {
      for (bits j = 0; j < 9; ++j) s.add((i << (lane<T>::fraction - 1)) + j - 4);
    }
    // Where results cross from normal to subnormal, to zero, to infinity and to one, and where functions have their
    // roots: close around every quarter up to 800.
    for (int i = -3200; i <= 3200; ++i) {
      for (int j = -3; j <= 3; ++j) s.add(static_cast<bits>(std::bit_cast<bits>(T(i) / 4) + static_cast<bits>(j)));
    }
  }
  s.flush();
  return s.worst;
}

template <class F>
void accurate(double limit = 3) {
  auto const check = [&](auto const& worst, char const* type) {
    auto const one = [&](auto const& r, char const* width) {
      BOOST_TEST_MESSAGE(type << ", " << width << " registers: " << r.most << " at " << r.at);
      BOOST_TEST(r.most <= limit,
                 type << ", " << width << " registers: " << r.most << " units in the last place at " << r.at);
    };
    one(worst.widest, "widest"), one(worst.middle, "32-byte"), one(worst.narrow, "16-byte");
  };
  check(everywhere<F, float>(ESPALIER_STRIDE), "float");
  if (ESPALIER_STRIDE > 1) check(everywhere<F, double>((std::uint64_t(1) << 47) + 12345678901), "double");
}

BOOST_AUTO_TEST_SUITE(whole_range)

BOOST_AUTO_TEST_CASE(exp) { accurate<exp_>(); }
BOOST_AUTO_TEST_CASE(log) { accurate<log_>(); }
BOOST_AUTO_TEST_CASE(tanh) { accurate<tanh_>(); }
BOOST_AUTO_TEST_CASE(sigmoid) { accurate<sigmoid_>(); }
BOOST_AUTO_TEST_CASE(erf) { accurate<erf_>(); }
BOOST_AUTO_TEST_CASE(sin) { accurate<sin_>(); }
BOOST_AUTO_TEST_CASE(cos) { accurate<cos_>(); }

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
