// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE operation_max
#include "support/axes.hpp"
#include "support/check_pullback.hpp"

using namespace test;

namespace {
inline constexpr auto all = [](auto x) { return max(x); };
inline constexpr auto last = [](auto x) { return max<-1>(x); };
inline constexpr auto first = [](auto x) { return max<0>(x); };

/// The reduction of a (2, 3, 4, 5) tensor over a mask, one element at a time.
template <class R>
void by_hand(R& result, esp::tensor<double, esp::shape<2, 3, 4, 5>> const& x, unsigned mask) {
  for (std::int64_t i = 0; i < result.size(); ++i) {
    double so_far = -HUGE_VAL;
    for (std::int64_t k = 0; k < x.size(); ++k) {
      esp::extents const at = esp::coordinates(x.shape(), k);
      std::int64_t into = 0;
      for (int axis = 0; axis < 4; ++axis)
        if (!(mask >> axis & 1u)) into = into * x.shape().at[axis] + at.at[axis];
      if (into != i) continue;
      so_far = std::fmax(so_far, x[k]);
    }
    result[i] = so_far;
  }
}
}  // namespace

BOOST_AUTO_TEST_CASE(every_set_of_axes) {
  auto const x = doubles<2, 3, 4, 5>(1);
  for_some_axes<4>([&](auto mask) {
    BOOST_TEST_CONTEXT("axes " << mask.value) {
      using dropped = reduces<over_max, mask.value, false>;
      using kept = reduces<over_max, mask.value, true>;
      auto const dy = numbers<double, shape_of_result<dropped, decltype(x)>>(2);
      auto const y = interpreted(dropped{}, false, dy, x);
      auto expected = y.value;
      by_hand(expected, x, mask.value);
      check_close("values", y.value, expected);
      if constexpr (mask.value % 3 == 2) check_close("kernels", fused(dropped{}, dy, x).value, expected);
      auto const z = interpreted(kept{}, false, numbers<double, shape_of_result<kept, decltype(x)>>(2), x);
      for (std::int64_t i = 0; i < expected.size(); ++i) BOOST_TEST(z.value[i] == y.value[i]);
      for (int axis = 0; axis < 4; ++axis)
        BOOST_TEST(z.value.shape().at[axis] == (mask.value >> axis & 1u ? 1 : x.shape().at[axis]));
      check_pullback("gradients", reduces<over_max, mask.value, false, true>{}, x);
    }
  });
}

BOOST_AUTO_TEST_CASE(kernels) {
  check_kernels("all", all, floats<1>(1));
  check_kernels("all", all, floats<3>(1));
  check_kernels("all", all, floats<100>(1));
  check_kernels("all", all, doubles<33, 17>(1));
  check_kernels("last", last, floats<7, 33>(1));
  check_kernels("last", last, doubles<5, 1>(1));
  check_kernels("first", first, floats<33, 17>(1));
  check_kernels("first", first, doubles<1, 9>(1));
  check_kernels("first", first, floats<17>(1));
  check_kernels("axes 0 and 2", reduces<over_max, 5, true>{}, floats<3, 5, 7>(1));
  check_kernels("axis 1", reduces<over_max, 2, false>{}, floats<3, 5, 7>(1));
}

BOOST_AUTO_TEST_CASE(nan_and_infinity) {
  for (int i = 0; i < 33; i += 4) {
    auto x = floats<33>(3);
    x[i] = NAN;
    esp::tensor<float, esp::shape<>> const y = max(x);
    BOOST_TEST(std::isnan(y[0]));
    auto two = floats<3, 33>(4);
    two(1, i) = NAN;
    esp::tensor<float, esp::shape<33>> const columns = max<0>(two);
    for (int k = 0; k < 33; ++k) BOOST_TEST(std::isnan(columns[k]) == (k == i));
  }
  esp::tensor<float, esp::shape<4>> x{1, HUGE_VALF, 2, 3};
  esp::tensor<float, esp::shape<>> const y = max(x);
  BOOST_TEST(y[0] == HUGE_VALF);
  x.fill(-HUGE_VALF);
  esp::tensor<float, esp::shape<>> const z = max(x);
  BOOST_TEST(z[0] == -HUGE_VALF);
}

// Equal elements share the gradient.
BOOST_AUTO_TEST_CASE(ties) {
  esp::tensor<double, esp::shape<2, 3>> const x{{1, 3, 3}, {2, 2, 2}};
  esp::tensor<double, esp::shape<2>> const dy{1, 6};
  auto const r = fused(last, dy, x);
  check_close("gradient", std::get<0>(r.gradients), esp::tensor<double, esp::shape<2, 3>>{{0, 0.5, 0.5}, {2, 2, 2}});
}
