// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE operation_logsumexp
#include <espalier/eager/compiled.hpp>

#include "support/axes.hpp"
#include "support/check_pullback.hpp"

using namespace test;

namespace {
inline constexpr auto all = [](auto x) { return logsumexp(x); };
inline constexpr auto last = [](auto x) { return logsumexp<-1>(x); };
inline constexpr auto first = [](auto x) { return logsumexp<0>(x, esp::keepdims); };
/// What logsumexp expands to, with the derivative of the expansion instead of the closed form.
template <unsigned Mask>
struct expansion {
  constexpr auto operator()(auto x) const { return esp::rule<esp::logsumexp_>::expand(x, std::integral_constant<unsigned, Mask>{}); }
};
}  // namespace

BOOST_AUTO_TEST_CASE(values) {
  auto const x = doubles<3, 17>(1, -3, 3);
  esp::tensor<double, esp::shape<3>> const y = logsumexp<1>(x);
  for (int i = 0; i < 3; ++i) {
    double sum = 0;
    for (int k = 0; k < 17; ++k) sum += std::exp(x(i, k));
    BOOST_TEST(y[i] == std::log(sum), boost::test_tools::tolerance(1e-14));
  }
}

BOOST_AUTO_TEST_CASE(large_and_small) {
  esp::tensor<float, esp::shape<4, 3>> const x{{1000, 1000, 1000}, {-1000, -1000, -1000}, {0, 88, 1000}, {-200, 0, -1000}};
  esp::tensor<float, esp::shape<4>> const y = logsumexp<1>(x);
  float const three = std::log(3.0f);
  check_close("large", y, esp::tensor<float, esp::shape<4>>{1000 + three, -1000 + three, 1000, 0}, 1e-6);
}

BOOST_AUTO_TEST_CASE(every_set_of_axes) {
  auto const x = doubles<2, 3, 2, 3>(1);
  for_all_axes<4>([&](auto mask) {
    BOOST_TEST_CONTEXT("axes " << mask.value) {
      using kept = reduces<over_logsumexp, mask.value, true>;
      auto const dy = numbers<double, shape_of_result<kept, decltype(x)>>(2);
      auto const y = interpreted(kept{}, false, dy, x), wanted = interpreted(expansion<mask.value>{}, false, dy, x);
      check_close("value", y.value, wanted.value);
      check_close("closed form against the derivative of the expansion", std::get<0>(y.gradients), std::get<0>(wanted.gradients));
      check_pullback("slopes", reduces<over_logsumexp, mask.value, false>{}, x);
    }
  });
}

BOOST_AUTO_TEST_CASE(kernels) {
  check_kernels("all", all, doubles<5, 7>(1));
  check_kernels("last", last, floats<7, 33>(1));
  check_kernels("last of one", last, floats<5, 1>(1));
  check_kernels("first", first, floats<33, 17>(1));
  check_kernels("middle", reduces<over_logsumexp, 2, false>{}, doubles<3, 5, 7>(1));
  check_kernels("outer", reduces<over_logsumexp, 5, true>{}, doubles<3, 5, 7>(1));
}

namespace {
struct value_and_slope {
  constexpr auto operator()(auto x) const { return std::tuple{all(x), esp::grad<0>(all)(x)}; }
};
}  // namespace

BOOST_AUTO_TEST_CASE(in_pieces) {
  // More terms than are taken at once, with the largest somewhere, and a number of them that only an odd piece divides.
  constexpr int n = 48 * 3001;
  static_assert(esp::detail::piece_of_terms(n) == 0 && esp::detail::piece_of_terms(1 << 20) == 4096 && esp::detail::piece_of_terms(1 << 17) == 0);
  constexpr int pieces = 592 * 233;
  static_assert(esp::detail::piece_of_terms(pieces) == 3728);
  auto x = floats<pieces>(1);
  x[70000] = 15;
  double sum = 0;
  for (int i = 0; i < pieces; ++i) sum += std::exp(static_cast<double>(x[i]) - 15);
  esp::tensor<float, esp::shape<>> y;
  esp::tensor<float, esp::shape<pieces>> slope;
  esp::compiled run{value_and_slope{}, x};
  run(x, y, slope);
  BOOST_TEST(y[0] == 15 + std::log(sum), boost::test_tools::tolerance(1e-6));
  double furthest = 0;
  for (int i = 0; i < pieces; ++i) furthest = std::max(furthest, std::fabs(slope[i] / (std::exp(static_cast<double>(x[i]) - 15) / sum) - 1));
  BOOST_TEST(furthest < 1e-5);
  auto shifted = x;
  for (int i = 0; i < pieces; ++i) shifted[i] = -1e4f;
  run(shifted, y, slope);
  BOOST_TEST(y[0] == -1e4 + std::log(pieces), boost::test_tools::tolerance(1e-6));
}
