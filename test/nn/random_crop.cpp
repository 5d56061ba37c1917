// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE nn_random_crop
#include <boost/test/unit_test.hpp>

#include "support/augmentation.hpp"

using namespace augmentation;

static_assert(esp::output_shape<nn::RandomCrop<2>, shape<5, 3, 4, 6>> == shape<5, 3, 4, 6>{} &&
              esp::parameter_count<nn::RandomCrop<2>> == 0);

namespace {
/// y(i, j) = x(i + down - P, j + right - P) of the padded image, 0 outside of x.
template <int P, esp::image_layout L>
struct by_hand {
  static constexpr int numbers = 2;
  template <class S>
  static float pixel(tensor<float, S> const& x, int n, int c, int i, int j, double const* u) {
    int const row = i + static_cast<int>(std::floor(u[0] * (2 * P + 1))) - P,
              column = j + static_cast<int>(std::floor(u[1] * (2 * P + 1))) - P;
    return row < 0 || column < 0 || row >= axes<S, L>::height || column >= axes<S, L>::width
               ? 0.0f
               : axes<S, L>::at(x, n, c, row, column);
  }
};
}  // namespace

BOOST_AUTO_TEST_CASE(it_is_the_loop_with_the_same_numbers) {
  check<nn::RandomCrop<1>, by_hand<1, esp::nchw>, shape<33, 2, 3, 5>, esp::nchw>();
  check<nn::RandomCrop<4>, by_hand<4, esp::nchw>, shape<40, 3, 8, 6>, esp::nchw>();
  check<nn::RandomCrop<5, esp::nhwc>, by_hand<5, esp::nhwc>, shape<33, 7, 4, 3>, esp::nhwc>();  // wider than the image
  check<nn::RandomCrop<2, esp::nhwc>, by_hand<2, esp::nhwc>, shape<21, 1, 4, 1>, esp::nhwc>();
}
BOOST_AUTO_TEST_CASE(without_padding_it_is_the_identity) {
  auto const x = images<shape<3, 2, 4, 4>>();
  BOOST_TEST((trained<nn::RandomCrop<0>>(x, 1) == x));
}
BOOST_AUTO_TEST_CASE(evaluation_is_the_identity) {
  auto const x = images<shape<3, 2, 4, 4>>();
  esp::model<nn::RandomCrop<2>> const model{esp::seed{1}};
  tensor<float, shape<3, 2, 4, 4>> const y = model(x);
  BOOST_TEST((y == x));
}
// One pixel in the middle of 5 x 5: where it is says which shift was drawn. 25 shifts, 20,000 images: each is expected
// 800 times, with a standard deviation of 28.
BOOST_AUTO_TEST_CASE(all_shifts_are_as_likely_and_images_are_independent) {
  constexpr int count = 20000;
  auto const x = std::make_unique<tensor<float, shape<count, 1, 5, 5>>>();
  for (int n = 0; n < count; ++n) (*x)(n, 0, 2, 2) = 1;
  auto const y = trained<nn::RandomCrop<2>>(*x, 3);
  int counts[25] = {}, pairs[25][25] = {}, last = 0;
  for (int n = 0; n < count; ++n) {
    int at = -1;
    for (int k = 0; k < 25; ++k)
      if (y[25 * n + k] == 1) at = k;
    BOOST_REQUIRE(at >= 0);
    ++counts[at];
    if (n > 0) ++pairs[last][at];
    last = at;
  }
  for (int const each : counts) BOOST_TEST((each > 800 - 5 * 28 && each < 800 + 5 * 28), each);
  double deviation = 0;  // chi square of the 625 pairs of neighbours: 600 or so, with a standard deviation of 35
  for (auto const& row : pairs)
    for (int const each : row) deviation += (each - 32.0) * (each - 32.0) / 32.0;
  BOOST_TEST((deviation > 450 && deviation < 800), deviation);
}
BOOST_AUTO_TEST_CASE(infinite_and_missing_pixels_stay_where_they_are) {
  tensor<float, shape<16, 1, 3, 3>> x;
  for (int n = 0; n < 16; ++n) x(n, 0, 1, 1) = n % 2 == 0 ? INFINITY : -INFINITY;
  auto const y = trained<nn::RandomCrop<1>>(x, 3);
  for (int n = 0; n < 16; ++n) {
    int infinite = 0, zeros = 0;
    for (int k = 0; k < 9; ++k) {
      infinite += y[9 * n + k] == x(n, 0, 1, 1);
      zeros += y[9 * n + k] == 0;
    }
    BOOST_TEST(infinite == 1);
    BOOST_TEST(zeros == 8);
  }
}
BOOST_AUTO_TEST_CASE(gradients) {
  check_gradient<nn::RandomCrop<2>, shape<6, 2, 4, 5>>();
  check_gradient<nn::RandomCrop<1, esp::nhwc>, shape<6, 4, 5, 2>>();
}
