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
  constexpr auto operator()(auto x) const {
    return esp::rule<esp::logsumexp_>::expand(x, std::integral_constant<unsigned, Mask>{});
  }
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
  esp::tensor<float, esp::shape<4, 3>> const x{
      {1000, 1000, 1000}, {-1000, -1000, -1000}, {0, 88, 1000}, {-200, 0, -1000}};
  esp::tensor<float, esp::shape<4>> const y = logsumexp<1>(x);
  float const three = std::log(3.0f);
  check_close("large", y, esp::tensor<float, esp::shape<4>>{1000 + three, -1000 + three, 1000, 0}, 1e-6);
}

BOOST_AUTO_TEST_CASE(every_set_of_axes) {
  auto const x = doubles<2, 3, 2, 3>(1);
  for_some_axes<4>([&](auto mask) {
    BOOST_TEST_CONTEXT("axes " << mask.value) {
      using kept = reduces<over_logsumexp, mask.value, true>;
      auto const dy = numbers<double, shape_of_result<kept, decltype(x)>>(2);
      auto const y = interpreted(kept{}, false, dy, x), expected = interpreted(expansion<mask.value>{}, false, dy, x);
      check_close("value", y.value, expected.value);
      check_close("closed form against the derivative of the expansion", std::get<0>(y.gradients),
                  std::get<0>(expected.gradients));
      check_pullback("gradients", reduces<over_logsumexp, mask.value, false>{}, x);
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
struct value_and_gradient {
  constexpr auto operator()(auto x) const { return std::tuple{all(x), esp::grad<0>(all)(x)}; }
};
}  // namespace

BOOST_AUTO_TEST_CASE(in_pieces) {
  // More terms than are taken at once, with the largest somewhere, and a number of them that only an odd piece divides.
  constexpr int n = 48 * 3001;
  static_assert(esp::detail::piece_of_terms(n) == 0 && esp::detail::piece_of_terms(1 << 20) == 4096 &&
                esp::detail::piece_of_terms(1 << 17) == 0);
  constexpr int pieces = 592 * 233;
  static_assert(esp::detail::piece_of_terms(pieces) == 3728);
  auto x = floats<pieces>(1);
  x[70000] = 15;
  double sum = 0;
  for (int i = 0; i < pieces; ++i) sum += std::exp(static_cast<double>(x[i]) - 15);
  esp::tensor<float, esp::shape<>> y;
  esp::tensor<float, esp::shape<pieces>> gradient;
  esp::compiled run{value_and_gradient{}, x};
  run(x, y, gradient);
  BOOST_TEST(y[0] == 15 + std::log(sum), boost::test_tools::tolerance(1e-6));
  double furthest = 0;
  for (int i = 0; i < pieces; ++i)
    furthest = std::max(furthest, std::fabs(gradient[i] / (std::exp(static_cast<double>(x[i]) - 15) / sum) - 1));
  BOOST_TEST(furthest < 1e-5);
  auto shifted = x;
  for (int i = 0; i < pieces; ++i) shifted[i] = -1e4f;
  run(shifted, y, gradient);
  BOOST_TEST(y[0] == -1e4 + std::log(pieces), boost::test_tools::tolerance(1e-6));
}

namespace {
constexpr double infinity = std::numeric_limits<double>::infinity();

/// Rows of which some have no largest number, and what their gradients are.
template <class T>
void check_infinite_rows() {
  constexpr T low = -std::numeric_limits<T>::infinity(), high = -low;
  esp::tensor<T, esp::shape<6, 3>> const x{
      {low, low, low}, {low, 2, low}, {1, high, 3}, {low, high, high}, {1, std::numeric_limits<T>::quiet_NaN(), low},
      {0, 0, 0}};
  esp::tensor<T, esp::shape<6>> const y = logsumexp<1>(x);
  BOOST_TEST(y[0] == low);
  BOOST_TEST(y[1] == 2);
  BOOST_TEST(y[2] == high);
  BOOST_TEST(y[3] == high);
  BOOST_TEST(std::isnan(y[4]));
  BOOST_TEST(static_cast<double>(y[5]) == std::log(3.0), boost::test_tools::tolerance(1e-6));
  esp::tensor<T, esp::shape<6>> ones;
  ones.fill(1);
  auto const gradient = std::get<0>(fused([](auto a) { return logsumexp<1>(a); }, ones, x).gradients);
  T const expected[] = {0, 0, 0, 0, 1, 0, 0};
  for (int i = 0; i < 7; ++i) BOOST_TEST(gradient.data()[i] == expected[i]);
  BOOST_TEST(std::isnan(gradient(2, 1)));
  BOOST_TEST(gradient(2, 2) == 0);
  BOOST_TEST(std::isnan(gradient(3, 1)));
  for (int i = 0; i < 3; ++i) {
    BOOST_TEST(std::isnan(gradient(4, i)));
    BOOST_TEST(static_cast<double>(gradient(5, i)) == 1.0 / 3, boost::test_tools::tolerance(1e-6));
  }
  esp::tensor<T, esp::shape<3>> const columns =
      logsumexp<0>(esp::tensor<T, esp::shape<2, 3>>{{low, low, high}, {low, 1, low}});
  BOOST_TEST(columns[0] == low);
  BOOST_TEST(columns[1] == 1);
  BOOST_TEST(columns[2] == high);
}
}  // namespace

BOOST_AUTO_TEST_CASE(infinities) {
  check_infinite_rows<float>();
  check_infinite_rows<double>();
  esp::tensor<double, esp::shape<4>> x;
  x.fill(-infinity);
  esp::tensor<double, esp::shape<>> const y = logsumexp(x);
  BOOST_TEST(y[0] == -infinity);
  // In pieces, of which all but one are nothing but -inf.
  esp::tensor<float, esp::shape<592 * 233>> many;
  many.fill(-std::numeric_limits<float>::infinity());
  esp::tensor<float, esp::shape<>> const none = logsumexp(many);
  BOOST_TEST(none[0] == -std::numeric_limits<float>::infinity());
  many[70000] = 5;
  esp::tensor<float, esp::shape<>> const one = logsumexp(many);
  BOOST_TEST(one[0] == 5);
  auto const gradient = esp::grad<0>(all)(many);
  BOOST_TEST(gradient[70000] == 1);
  BOOST_TEST(gradient[1] == 0);
}
// What a row of nothing but -inf is to the functions that divide by its sum.
BOOST_AUTO_TEST_CASE(softmax_of_nothing_is_nan) {
  esp::tensor<double, esp::shape<2, 2>> const x{{-infinity, -infinity}, {-infinity, 1}};
  esp::tensor<double, esp::shape<2, 2>> const y = softmax<1>(x), z = log_softmax<1>(x);
  BOOST_TEST((std::isnan(y(0, 0)) && std::isnan(y(0, 1)) && std::isnan(z(0, 0)) && std::isnan(z(0, 1))));
  BOOST_TEST((y(1, 0) == 0 && y(1, 1) == 1 && z(1, 0) == -infinity && z(1, 1) == 0));
}

namespace {
inline constexpr auto gradient_of_all = [](auto x) { return esp::grad<0>(all)(x); };
}  // namespace

// The sum of exponentials is 1 here, where all terms but the largest underflow.
BOOST_AUTO_TEST_CASE(the_second_derivative_where_one_element_is_far_above_the_others) {
  esp::tensor<double, esp::shape<3>> const x{0, -2000, -3000}, dy{1, 0, 0};
  auto const second = std::get<0>(interpreted(gradient_of_all, false, dy, x).gradients);
  for (int i = 0; i < 3; ++i) BOOST_TEST(second[i] == 0);
}
