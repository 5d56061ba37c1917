// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE operation_squeeze
#include "support/check_pullback.hpp"

using namespace test;

namespace {
template <int... Axes>
struct squeezed {
  constexpr auto operator()(auto x) const { return squeeze<Axes...>(x * x) * squeeze<Axes...>(x); }
};

constexpr esp::tensor<float, esp::shape<1, 2, 1, 3>> thin{{{{1, 2, 3}}, {{4, 5, 6}}}};
static_assert(esp::tensor<float, esp::shape<2, 3>>{squeeze(thin)} ==
              esp::tensor<float, esp::shape<2, 3>>{{1, 2, 3}, {4, 5, 6}});
static_assert(esp::tensor<float, esp::shape<1, 2, 3>>{squeeze<2>(thin)} ==
              esp::tensor<float, esp::shape<1, 2, 3>>{{{1, 2, 3}, {4, 5, 6}}});
static_assert(esp::tensor<float, esp::shape<2, 3>>{squeeze<0, -2>(thin)} ==
              esp::tensor<float, esp::shape<2, 3>>{squeeze(thin)});
static_assert(std::is_same_v<esp::shape_of<decltype(squeeze(esp::traced<esp::shape<1, 1>>{}))>, esp::shape<>>);
static_assert(std::is_same_v<esp::shape_of<decltype(squeeze(esp::traced<esp::shape<2, 3>>{}))>, esp::shape<2, 3>>);
static_assert(esp::grad([](auto x) { return sum(squeeze<0>(x * x)); })(thin) ==
              esp::tensor<float, esp::shape<1, 2, 1, 3>>{{{{2, 4, 6}}, {{8, 10, 12}}}});
}  // namespace

BOOST_AUTO_TEST_CASE(kernels_and_gradients) {
  check_kernels("all", squeezed<>{}, floats<3, 1, 17, 1>(1));
  check_kernels("one", squeezed<1>{}, doubles<3, 1, 17, 1>(1));
  check_pullback("all", squeezed<>{}, doubles<3, 1, 4>(1));
  check_pullback("one", squeezed<-1>{}, doubles<3, 1, 4, 1>(1));
}
