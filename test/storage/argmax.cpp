// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE storage_argmax
#include <boost/test/unit_test.hpp>

#include <espalier/storage/argmax.hpp>

using espalier::shape;
using espalier::tensor;
using labels = tensor<std::int32_t, shape<2>>;

constexpr tensor<float, shape<2, 3>> m{{1, 5, 2}, {7, 0, 7}};
static_assert(argmax(m) == 3, "the first of equals");
static_assert(argmax<1>(m) == labels{1, 0} && argmax<-1>(m) == labels{1, 0});
static_assert(argmax<0>(m) == tensor<std::int32_t, shape<3>>{1, 0, 1});
static_assert(argmax<0>(tensor<std::int32_t, shape<3>>{-3, -1, -2}) == 1, "one axis leaves a scalar");
static_assert(argmax(tensor<double, shape<>>{4}) == 0);

BOOST_AUTO_TEST_CASE(nan_is_the_largest_as_in_numpy) {
  float const nan = __builtin_nanf(""), inf = __builtin_huge_valf();
  BOOST_TEST(argmax(tensor<float, shape<4>>{1, nan, inf, nan}) == 1);
  BOOST_TEST(argmax(tensor<float, shape<3>>{-inf, -inf, -inf}) == 0);
}

BOOST_AUTO_TEST_CASE(a_middle_axis) {
  tensor<double, shape<2, 3, 4>> t;
  for (int i = 0; i < 24; ++i) t[i] = (i * 7) % 11;
  auto const best = argmax<1>(t);
  static_assert(std::is_same_v<decltype(best)::shape_type, shape<2, 4>>);
  for (int a = 0; a < 2; ++a)
    for (int c = 0; c < 4; ++c)
      for (int b = 0; b < 3; ++b) BOOST_TEST(t(a, best(a, c), c) >= t(a, b, c));
}

BOOST_AUTO_TEST_CASE(of_a_view) {
  float const memory[]{3, 1, 2, 9};
  BOOST_TEST(argmax(espalier::view<float const, shape<2, 2>>(memory)) == 3);
}
