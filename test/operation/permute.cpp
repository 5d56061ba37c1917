// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE operation_permute
#include "support/check_pullback.hpp"

using namespace test;

namespace {
template <int... Axes>
struct permuted {
  constexpr auto operator()(auto x) const { return permute<Axes...>(x * x) * exp(permute<Axes...>(x)); }
};
inline constexpr auto twice = [](auto x) { return permute<1, 2, 0>(tanh(permute<2, 0, 1>(x))) * x; };

constexpr esp::tensor<float, esp::shape<2, 3>> rows{{1, 2, 3}, {4, 5, 6}};
static_assert(esp::tensor<float, esp::shape<3, 2>>{permute<1, 0>(rows)} ==
              esp::tensor<float, esp::shape<3, 2>>{transpose(rows)});
static_assert(esp::tensor<float, esp::shape<2, 3>>{permute<0, -1>(rows)} == rows);
static_assert(esp::tensor<float, esp::shape<>>{permute<>(esp::tensor<float, esp::shape<>>{3})} ==
              esp::tensor<float, esp::shape<>>{3});
static_assert(esp::grad([](auto x) { return sum(permute<1, 0>(x * x)); })(rows) ==
              esp::tensor<float, esp::shape<2, 3>>{{2, 4, 6}, {8, 10, 12}});
}  // namespace

BOOST_AUTO_TEST_CASE(values) {
  auto const x = doubles<2, 3, 4, 5>(1);
  esp::tensor<double, esp::shape<5, 2, 4, 3>> const y = permute<3, 0, 2, 1>(x), z = permute<-1, 0, -2, 1>(x);
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 3; ++j)
      for (int k = 0; k < 4; ++k)
        for (int l = 0; l < 5; ++l) {
          BOOST_TEST(y(l, i, k, j) == x(i, j, k, l));
          BOOST_TEST(z(l, i, k, j) == x(i, j, k, l));
        }
}

BOOST_AUTO_TEST_CASE(kernels) {
  check_kernels("images", permuted<0, 2, 3, 1>{}, floats<2, 3, 5, 7>(1));
  check_kernels("back", permuted<0, 3, 1, 2>{}, floats<2, 5, 7, 3>(1));
  check_kernels("rank 6", permuted<5, 3, 4, 0, 1, 2>{}, doubles<2, 3, 1, 2, 3, 2>(1));
  check_kernels("nothing", permuted<0, 1, 2>{}, doubles<3, 4, 5>(1));
  check_kernels("twice", twice, doubles<3, 4, 5>(1));
}

BOOST_AUTO_TEST_CASE(gradients) {
  check_pullback("rank 3", permuted<2, 0, 1>{}, doubles<2, 3, 4>(1));
  check_pullback("rank 4", permuted<3, 1, 0, 2>{}, doubles<2, 3, 2, 2>(1));
  check_pullback("twice", twice, doubles<2, 3, 4>(1));
}
