// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE operation_expand
#include "support/check_pullback.hpp"

using namespace test;

namespace {
template <int... Extents>
struct expanded {
  constexpr auto operator()(auto x) const { return expand<Extents...>(x * x) * expand<Extents...>(tanh(x)); }
};

constexpr esp::tensor<float, esp::shape<2, 1>> column{{1}, {2}};
static_assert(esp::tensor<float, esp::shape<2, 3>>{expand<2, 3>(column)} ==
              esp::tensor<float, esp::shape<2, 3>>{{1, 1, 1}, {2, 2, 2}});
static_assert(esp::tensor<float, esp::shape<2, 3>>{expand<-1, 3>(column)} ==
              esp::tensor<float, esp::shape<2, 3>>{{1, 1, 1}, {2, 2, 2}});
static_assert(esp::tensor<float, esp::shape<2, 2, 1>>{expand<2, -1, -1>(column)} ==
              esp::tensor<float, esp::shape<2, 2, 1>>{{{1}, {2}}, {{1}, {2}}});
static_assert(esp::grad([](auto x) { return sum(expand<4, -1, 3>(x)); })(column) ==
              esp::tensor<float, esp::shape<2, 1>>{{12}, {12}});
}  // namespace

BOOST_AUTO_TEST_CASE(kernels_and_gradients) {
  check_kernels("columns", expanded<-1, 17>{}, floats<5, 1>(1));
  check_kernels("new axis", expanded<4, -1, 3, -1>{}, doubles<5, 1, 6>(1));
  check_kernels("nothing", expanded<-1, -1>{}, doubles<5, 6>(1));
  check_kernels("a number", expanded<3, 4>{}, doubles<>(1));
  check_pullback("columns", expanded<-1, 4>{}, doubles<3, 1>(1));
  check_pullback("new axis", expanded<2, -1, 3, -1>{}, doubles<2, 1, 3>(1));
}
