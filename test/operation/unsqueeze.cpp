// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE operation_unsqueeze
#include "support/check_pullback.hpp"

using namespace test;

namespace {
template <int... Axes>
struct unsqueezed {
  constexpr auto operator()(auto x) const { return unsqueeze<Axes...>(x * x) * unsqueeze<Axes...>(x); }
};
/// Every difference of two elements.
inline constexpr auto pairs = [](auto x) {
  return broadcast_to<esp::shape<5, 5>>(unsqueeze<0>(x)) - unsqueeze<1>(x * x);
};

constexpr esp::tensor<float, esp::shape<2, 3>> rows{{1, 2, 3}, {4, 5, 6}};
static_assert(esp::tensor<float, esp::shape<2, 1, 3>>{unsqueeze<1>(rows)} ==
              esp::tensor<float, esp::shape<2, 1, 3>>{{{1, 2, 3}}, {{4, 5, 6}}});
static_assert(esp::tensor<float, esp::shape<1, 2, 3, 1>>{unsqueeze<0, -1>(rows)} ==
              esp::tensor<float, esp::shape<1, 2, 3, 1>>{{{{1}, {2}, {3}}, {{4}, {5}, {6}}}});
static_assert(esp::tensor<float, esp::shape<2, 3>>{squeeze<2, 1>(unsqueeze<1, 2>(rows))} == rows);
static_assert(std::is_same_v<esp::shape_of<decltype(unsqueeze<0>(esp::traced<esp::shape<>>{}))>, esp::shape<1>>);
}  // namespace

BOOST_AUTO_TEST_CASE(kernels_and_gradients) {
  check_kernels("middle", unsqueezed<1>{}, floats<3, 17>(1));
  check_kernels("ends", unsqueezed<0, -1>{}, doubles<3, 17>(1));
  check_kernels("pairs", pairs, doubles<5>(1));
  check_pullback("ends", unsqueezed<0, -1>{}, doubles<3, 4>(1));
  check_pullback("pairs", pairs, doubles<5>(1));
}
