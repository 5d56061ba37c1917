// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE operation_global_average_pool
#include <espalier/operation/global_average_pool.hpp>

#include "support/check_pullback.hpp"

using namespace test;
using esp::nchw;
using esp::shape;

namespace {
inline constexpr auto last = [](auto x) { return global_average_pool(x); };
inline constexpr auto first = [](auto x) { return esp::global_average_pool<nchw>(x); };
}  // namespace

BOOST_AUTO_TEST_CASE(values) {
  constexpr esp::tensor<double, shape<1, 2, 2, 2>> x{{{{1, 10}, {2, 20}}, {{3, 30}, {6, 60}}}};
  constexpr esp::tensor<double, shape<1, 2>> y = global_average_pool(x), z = esp::global_average_pool<nchw>(x);
  static_assert(y == esp::tensor<double, shape<1, 2>>{{3, 30}});
  static_assert(z == esp::tensor<double, shape<1, 2>>{{8.25, 24.75}});
  auto const images = doubles<3, 5, 4, 9>(1);
  esp::tensor<double, shape<3, 9>> const means = global_average_pool(images);
  for (int n = 0; n < 3; ++n)
    for (int c = 0; c < 9; ++c) {
      double all = 0;
      for (int i = 0; i < 20; ++i) all += images(n, i / 4, i % 4, c);
      BOOST_TEST(means(n, c) == all / 20, boost::test_tools::tolerance(1e-12));
    }
}

BOOST_AUTO_TEST_CASE(kernels) {
  check_kernels("channels last", last, floats<3, 5, 4, 9>(1));
  check_kernels("channels first", first, floats<3, 9, 5, 4>(1));
}

BOOST_AUTO_TEST_CASE(gradients) {
  check_pullback("channels last", last, doubles<2, 3, 2, 4>(1));
  check_pullback("channels first", first, doubles<2, 4, 3, 2>(1));
}
