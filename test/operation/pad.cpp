// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE operation_pad
#include <limits>

#include "support/check_pullback.hpp"

using namespace test;

namespace {
template <int... Widths>
struct padded {
  constexpr auto operator()(auto x) const { return pad<Widths...>(x); }
};
template <int... Widths>
struct padded_square {
  constexpr auto operator()(auto x) const { return pad<Widths...>(x * x) * pad<Widths...>(exp(x)); }
};
inline constexpr auto highest = [](auto x) { return maximum(pad<1, 1, 0, 2>(x, esp::lowest), -0.5); };
inline constexpr auto with_tail = [](auto x) { return exp(pad<0, 0, 0, 3>(x)) * 2; };

constexpr esp::tensor<float, esp::shape<2, 2>> square{{1, 2}, {3, 4}};
static_assert(esp::tensor<float, esp::shape<3, 4>>{pad<1, 0, 0, 2>(square)} ==
              esp::tensor<float, esp::shape<3, 4>>{{0, 0, 0, 0}, {1, 2, 0, 0}, {3, 4, 0, 0}});
static_assert(esp::tensor<float, esp::shape<2, 2>>{slice<0, 1>(slice<1, 0, 2>(pad<1, 0, 0, 2>(square)))} == square);
constexpr float below = -std::numeric_limits<float>::infinity();
static_assert(esp::tensor<float, esp::shape<2, 3>>{pad<0, 0, 1, 0>(square, esp::lowest)} ==
              esp::tensor<float, esp::shape<2, 3>>{{below, 1, 2}, {below, 3, 4}});
static_assert(esp::grad([](auto x) { return sum(pad<1, 1, 1, 1>(x) * pad<1, 1, 1, 1>(x)); })(square) ==
              esp::tensor<float, esp::shape<2, 2>>{{2, 4}, {6, 8}});
static_assert(esp::tensor<float, esp::shape<>>{pad<>(esp::tensor<float, esp::shape<>>{3})} ==
              esp::tensor<float, esp::shape<>>{3});
}  // namespace

BOOST_AUTO_TEST_CASE(values) {
  auto const x = doubles<2, 3, 4>(1);
  esp::tensor<double, esp::shape<2, 6, 6>> const y = pad<0, 0, 1, 2, 2, 0>(x);
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 6; ++j)
      for (int k = 0; k < 6; ++k) BOOST_TEST(y(i, j, k) == (j >= 1 && j < 4 && k >= 2 ? x(i, j - 1, k - 2) : 0));
}

BOOST_AUTO_TEST_CASE(kernels) {
  check_kernels("rows", padded<2, 1, 0, 0>{}, floats<3, 17>(1));
  check_kernels("columns", padded_square<0, 0, 3, 1>{}, floats<3, 17>(1));
  check_kernels("all of rank 4", padded_square<1, 0, 2, 1, 0, 3, 1, 1>{}, doubles<2, 3, 2, 4>(1));
  check_kernels("nothing", padded<0, 0, 0, 0>{}, doubles<3, 4>(1));
  check_kernels("lowest", highest, floats<5, 9>(1));
  check_kernels("read further", with_tail, doubles<4, 13>(1));
}

BOOST_AUTO_TEST_CASE(gradients) {
  check_pullback("columns", padded_square<0, 0, 3, 1>{}, doubles<3, 4>(1));
  check_pullback("both", padded_square<1, 2, 0, 1>{}, doubles<3, 4>(1));
  check_pullback("lowest", highest, doubles<3, 4>(1));
}
