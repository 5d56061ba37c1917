// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE operation_rms_normalize
#include "support/axes.hpp"
#include "support/check_pullback.hpp"
#include "support/large_numbers.hpp"

using namespace test;

namespace {
inline constexpr auto rows = [](auto x) { return rms_normalize<-1>(x, 1e-5); };
inline constexpr auto columns = [](auto x) { return rms_normalize<0>(x, 1e-5); };
struct over_rms_normalize {
  template <int... Axes>
  static constexpr auto dropped(auto const& x) {
    return rms_normalize<Axes...>(x, 1e-3);
  }
  template <int... Axes>
  static constexpr auto kept(auto const& x) {
    return rms_normalize<Axes...>(x, 1e-3) * x;
  }
};
template <unsigned Mask>
struct expansion {
  constexpr auto operator()(auto x) const {
    return esp::rule<esp::rms_normalize_>::expand(x, esp::number<double>{1e-3},
                                                  std::integral_constant<unsigned, Mask>{});
  }
};
}  // namespace

BOOST_AUTO_TEST_CASE(values) {
  esp::tensor<double, esp::shape<2, 2>> const x{{3, -4}, {0, 0}};
  esp::tensor<double, esp::shape<2, 2>> const y = rms_normalize<1>(x, 0.0);
  for (int i = 0; i < 2; ++i) BOOST_TEST(y(0, i) == x(0, i) / std::sqrt(12.5), boost::test_tools::tolerance(1e-14));
  // A row of zeros has no length: 0 with eps, nan without.
  for (int i = 0; i < 2; ++i) BOOST_TEST(std::isnan(y(1, i)));
  esp::tensor<double, esp::shape<2, 2>> const z = rms_normalize<1>(x, 1e-5);
  for (int i = 0; i < 2; ++i) BOOST_TEST(z(1, i) == 0);
}

// The length is known by heart: of one element only the sign is left.
BOOST_AUTO_TEST_CASE(one_element) {
  esp::tensor<double, esp::shape<2, 1>> const x{{3}, {-4}}, dy{{1}, {1}};
  constexpr auto f = [](auto a) { return rms_normalize<1>(a, 0); };
  auto const run = fused(f, dy, x);
  check_close("sign", run.value, esp::tensor<double, esp::shape<2, 1>>{{1}, {-1}}, 1e-15);
  BOOST_TEST(std::get<0>(run.gradients) == (esp::tensor<double, esp::shape<2, 1>>{}));
}

BOOST_AUTO_TEST_CASE(every_set_of_axes) {
  auto const x = doubles<2, 1, 3, 2>(1);
  for_some_axes<4>([&](auto mask) {
    BOOST_TEST_CONTEXT("axes " << mask.value) {
      using whole = reduces<over_rms_normalize, mask.value, false>;
      auto const dy = numbers<double, esp::shape<2, 1, 3, 2>>(2);
      auto const y = interpreted(whole{}, false, dy, x), expected = interpreted(expansion<mask.value>{}, false, dy, x);
      check_close("value", y.value, expected.value);
      check_close("closed form against the derivative of the expansion", std::get<0>(y.gradients),
                  std::get<0>(expected.gradients), 1e-11);
      check_pullback("gradients", whole{}, steps{1e-5, 1e-6, 1e-4}, x);
    }
  });
}

BOOST_AUTO_TEST_CASE(kernels) {
  check_kernels("rows", rows, floats<7, 33>(1));
  check_kernels("rows", rows, doubles<37, 53>(1));
  check_kernels("columns", columns, floats<33, 17>(1));
  check_kernels("middle", reduces<over_rms_normalize, 2, true>{}, doubles<3, 5, 7>(1));
}

// Squares of numbers above 1e19 are infinite in float.
BOOST_AUTO_TEST_CASE(squares_out_of_range) {
  check_magnitudes<esp::shape<7, 33>>("rows", rows);
  check_magnitudes<esp::shape<33, 17>>("columns", columns);
  check_magnitudes<esp::shape<5, 7>>("everything", [](auto x) { return rms_normalize(x, 1e-5); });
  check_magnitudes<esp::shape<3, 5, 7>>("middle", [](auto x) { return rms_normalize<1>(x, 1e-5); });
  check_magnitudes<esp::shape<5, 7>>("no eps", [](auto x) { return rms_normalize<-1>(x, 0); });
}
