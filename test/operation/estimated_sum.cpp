// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE operation_estimated_sum
#include "support/axes.hpp"
#include "support/check_pullback.hpp"

using namespace test;

namespace {
template <unsigned Mask>
struct less_it {
  constexpr auto operator()(auto x) const { return esp::shifted(x, esp::axes_constant<Mask>{}); }
};
template <unsigned Mask>
struct variance {
  constexpr auto operator()(auto x) const { return esp::variance_kept(x, esp::axes_constant<Mask>{}); }
};
/// x is computed in the group: there is no element to take before it begins.
template <unsigned Mask>
struct of_a_sum {
  constexpr auto operator()(auto x, auto y) const { return esp::shifted(x + y, esp::axes_constant<Mask>{}); }
};

/// x - y is one number along the axes of a mask, and lies between the smallest and the largest element there.
template <unsigned Mask, class X>
void check_between(char const* name, X const& x, X const& y, double allowed) {
  esp::extents const kept = esp::reduced_extents(x.shape(), Mask, true);
  for (std::int64_t i = 0; i < kept.size(); ++i) {
    double least = HUGE_VAL, most = -HUGE_VAL, lowest = HUGE_VAL, highest = -HUGE_VAL;
    for (std::int64_t k = 0; k < x.size(); ++k) {
      esp::extents const at = esp::coordinates(x.shape(), k);
      std::int64_t into = 0;
      for (int axis = 0; axis < at.rank; ++axis)
        if (!(Mask >> axis & 1u)) into = into * x.shape().at[axis] + at.at[axis];
      if (into != i) continue;
      double const element = static_cast<double>(x[k]), estimate = element - static_cast<double>(y[k]);
      least = std::fmin(least, element);
      most = std::fmax(most, element);
      lowest = std::fmin(lowest, estimate);
      highest = std::fmax(highest, estimate);
    }
    BOOST_TEST(highest - lowest <= allowed, name << ": one number for each, " << lowest << " ... " << highest);
    BOOST_TEST(lowest >= least - allowed, name << ": " << lowest << " is less than all, from " << least);
    BOOST_TEST(highest <= most + allowed, name << ": " << highest << " is more than all, to " << most);
  }
}
template <unsigned Mask, class X>
void check(char const* name, X const& x) {
  double const allowed = std::is_same_v<typename X::value_type, float> ? 1e-5 : 1e-13;
  check_between<Mask>(name, x, fused(less_it<Mask>{}, x, x).value, allowed);
  check_between<Mask>(name, x, interpreted(less_it<Mask>{}, false, x, x).value, allowed);
  X sums = x + x;
  check_between<Mask>(name, sums, fused(of_a_sum<Mask>{}, x, x, x).value, allowed);
  check_kernels(name, variance<Mask>{}, x);
}
}  // namespace

BOOST_AUTO_TEST_CASE(rows) {
  check<2>("one", floats<3, 1>(1));
  check<2>("two", floats<5, 2>(1));
  check<2>("three", doubles<17, 3>(1));
  check<2>("short", floats<37, 8>(1));
  check<2>("with a tail", floats<7, 33>(1));
  check<2>("long", doubles<2, 700>(1));
  check<1>("alone", floats<100>(1));
  check<2>("of one", floats<1, 200>(1));
}
BOOST_AUTO_TEST_CASE(columns) {
  check<1>("one", floats<1, 9>(1));
  check<1>("two", doubles<2, 17>(1));
  check<1>("few", floats<33, 5>(1));
  check<1>("many", doubles<300, 37>(1));
}
BOOST_AUTO_TEST_CASE(other_axes) {
  check<2>("middle", doubles<3, 5, 7>(1));
  check<6>("last two", floats<3, 5, 7>(1));
  check<3>("first two", floats<3, 5, 7>(1));
  check<5>("channels", floats<3, 5, 7>(1));
  check<13>("channels of images", doubles<4, 3, 4, 5>(1));
  check<7>("everything", floats<3, 5, 7>(1));
}

// One element that lies far from the others, wherever it stands, does not become what the others are compared with.
BOOST_AUTO_TEST_CASE(an_outlier) {
  for (int i = 0; i < 99; ++i) {
    auto x = floats<2, 99>(1);
    x(1, i) = 1e6f;
    auto const rows = fused(less_it<2>{}, x, x).value;
    esp::tensor<float, esp::shape<99, 2>> const turned = transpose(x);
    auto const columns = fused(less_it<1>{}, turned, turned).value;
    int const other = i == 0 ? 1 : 0;
    BOOST_TEST(std::fabs(rows(1, other)) < 1.1e4f);
    BOOST_TEST(std::fabs(columns(other, 1)) < 1.1e4f);
  }
}

BOOST_AUTO_TEST_CASE(nan_and_infinity) {
  for (int i = 0; i < 33; ++i) {
    for (float const strange : {NAN, HUGE_VALF, -HUGE_VALF}) {
      auto x = floats<3, 33>(1);
      x(1, i) = strange;
      auto const v = fused(variance<2>{}, esp::tensor<float, esp::shape<3, 1>>{}, x).value;
      auto const gradients =
          std::get<0>(fused(variance<2>{}, esp::tensor<float, esp::shape<3, 1>>{{1}, {1}, {1}}, x).gradients);
      for (int k = 0; k < 3; ++k) BOOST_TEST(std::isfinite(v[k]) == (k != 1));
      for (int k = 0; k < 33; ++k) BOOST_TEST((std::isfinite(gradients(0, k)) && std::isfinite(gradients(2, k))));
      esp::tensor<float, esp::shape<33, 3>> const turned = transpose(x);
      auto const u = fused(variance<1>{}, esp::tensor<float, esp::shape<1, 3>>{}, turned).value;
      for (int k = 0; k < 3; ++k) BOOST_TEST(std::isfinite(u[k]) == (k != 1));
    }
  }
}

// It has no gradient: what is shifted moves with x, and what does not depend on the shift has the gradient that a mean
// would give it.
BOOST_AUTO_TEST_CASE(gradient) {
  auto const x = doubles<4, 6>(1), w = doubles<4, 6>(2);
  check_close("rows", std::get<0>(fused(less_it<2>{}, w, x).gradients), w);
  check_close("columns", std::get<0>(fused(less_it<1>{}, w, x).gradients), w);
  check_pullback("variance of rows", variance<2>{}, x);
  check_pullback("variance of columns", variance<1>{}, x);
  check_pullback("of everything", variance<3>{}, x);
}

namespace {
constexpr esp::tensor<double, esp::shape<2, 4>> odd{{1, 3, 5, 7}, {2, 2, 2, 2}};
constexpr esp::tensor<double, esp::shape<2, 1>> of_rows = esp::variance_kept(odd, esp::axes_constant<2>{});
static_assert(of_rows == esp::tensor<double, esp::shape<2, 1>>{{5}, {0}});
constexpr esp::tensor<double, esp::shape<2, 4>> less = esp::shifted(odd, esp::axes_constant<2>{});
static_assert(less(0, 1) - less(0, 0) == 2 && less(0, 3) - less(0, 0) == 6 && less(1, 0) == 0 && less(1, 3) == 0);
}  // namespace
