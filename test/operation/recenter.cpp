// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE operation_recenter
#include "support/axes.hpp"
#include "support/check_pullback.hpp"

using namespace test;

namespace {
template <unsigned Mask>
struct recenters {
  constexpr auto operator()(auto c) const { return esp::recentered(c, esp::axes_constant<Mask>{}); }
};
/// What a sum across the rows' direction may take apart, and a sum along it.
struct summed_with {
  constexpr auto operator()(auto c, auto a) const { return sum<0>(a * esp::recentered(c, esp::axes_constant<1>{})); }
};
struct summed_along {
  constexpr auto operator()(auto c, auto a) const { return sum<1>(esp::recentered(c, esp::axes_constant<2>{}) * a); }
};
struct summed_otherwise {
  constexpr auto operator()(auto c, auto a) const { return sum<0>(a * esp::recentered(c, esp::axes_constant<2>{})); }
};
}  // namespace

BOOST_AUTO_TEST_CASE(values) {
  esp::tensor<double, esp::shape<2, 4>> const c{{1, 3, 5, 7}, {2, 2, 2, 2}};
  esp::tensor<double, esp::shape<2, 4>> const rows = esp::recentered(c, esp::axes_constant<2>{}),
                                              columns = esp::recentered(c, esp::axes_constant<1>{});
  BOOST_TEST((rows == esp::tensor<double, esp::shape<2, 4>>{{-3, -1, 1, 3}, {0, 0, 0, 0}}));
  BOOST_TEST((columns == esp::tensor<double, esp::shape<2, 4>>{{-0.5, 0.5, 1.5, 2.5}, {0.5, -0.5, -1.5, -2.5}}));
}

BOOST_AUTO_TEST_CASE(kernels) {
  check_kernels("rows", recenters<2>{}, floats<7, 33>(1));
  check_kernels("columns", recenters<1>{}, doubles<33, 17>(1));
  check_kernels("middle", recenters<2>{}, doubles<3, 5, 7>(1));
  check_kernels("everything", recenters<3>{}, floats<5, 7>(1));
}

// A sum with factors takes the mean out where it is the same for all that is added.
BOOST_AUTO_TEST_CASE(sums) {
  check_kernels("columns", summed_with{}, doubles<33, 17>(1), doubles<33, 17>(2));
  check_kernels("rows", summed_along{}, doubles<7, 33>(1), doubles<7, 33>(2));
  check_kernels("across", summed_otherwise{}, doubles<7, 33>(1), doubles<7, 33>(2));
  check_kernels("in float", summed_with{}, floats<33, 17>(1), floats<33, 17>(2));
}

BOOST_AUTO_TEST_CASE(gradients) {
  check_pullback("rows", recenters<2>{}, doubles<4, 6>(1));
  check_pullback("columns", recenters<1>{}, doubles<4, 6>(1));
  check_pullback("sum", summed_with{}, doubles<4, 6>(1), doubles<4, 6>(2));
  check_pullback("sum across", summed_otherwise{}, doubles<4, 6>(1), doubles<4, 6>(2));
}

static_assert([] {
  esp::tensor<double, esp::shape<3>> const c{1, 2, 6};
  esp::tensor<double, esp::shape<3>> const y = esp::recentered(c, esp::axes_constant<1>{});
  return y == esp::tensor<double, esp::shape<3>>{-2, -1, 3};
}());
