// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE operation_transpose
#include "support/check_pullback.hpp"

using namespace test;

namespace {
inline constexpr auto last_two = [](auto x) { return transpose(x); };
template <int I, int J>
struct exchange {
  constexpr auto operator()(auto x) const { return transpose<I, J>(x) * transpose<I, J>(x); }
};
inline constexpr auto twice = [](auto x) { return transpose<0, 2>(transpose<1, 2>(x)); };
inline constexpr auto round_trip = [](auto x) { return transpose<2, 0>(transpose<0, 2>(x)) + x; };
}  // namespace

BOOST_AUTO_TEST_CASE(values) {
  esp::tensor<float, esp::shape<2, 3>> const x{{1, 2, 3}, {4, 5, 6}};
  esp::tensor<float, esp::shape<3, 2>> const y = transpose(x), z = transpose<0, 1>(x), w = transpose<-2, -1>(x);
  BOOST_TEST((y == esp::tensor<float, esp::shape<3, 2>>{{1, 4}, {2, 5}, {3, 6}}));
  BOOST_TEST((z == y));
  BOOST_TEST((w == y));
  auto const r = doubles<3, 4, 5>(1);
  esp::tensor<double, esp::shape<4, 5, 3>> const moved = transpose<0, 2>(transpose<1, 2>(r));
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 4; ++j)
      for (int k = 0; k < 5; ++k) BOOST_TEST(moved(j, k, i) == r(i, j, k));
}

BOOST_AUTO_TEST_CASE(kernels) {
  check_kernels("33x17", last_two, floats<33, 17>(1));
  check_kernels("1x9", last_two, floats<1, 9>(1));
  check_kernels("64x64", last_two, doubles<64, 64>(1));
  check_kernels("rank 6", exchange<1, 4>{}, doubles<2, 3, 1, 2, 3, 2>(1));
  check_kernels("rank 3", exchange<0, 1>{}, doubles<3, 4, 5>(1));
  check_kernels("itself", exchange<1, 1>{}, doubles<3, 4>(1));
  check_kernels("twice", twice, doubles<3, 4, 5>(1));
  check_kernels("back", round_trip, doubles<3, 4, 5>(1));
}

BOOST_AUTO_TEST_CASE(gradients) {
  check_pullback("0,2", exchange<0, 2>{}, doubles<3, 4, 5>(1));
  check_pullback("1,3", exchange<1, 3>{}, doubles<2, 3, 2, 4>(1));
  check_pullback("twice", twice, doubles<3, 4, 5>(1));
}
