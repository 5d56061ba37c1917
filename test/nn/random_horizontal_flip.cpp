// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE nn_random_horizontal_flip
#include <boost/test/unit_test.hpp>

#include "support/augmentation.hpp"

using namespace augmentation;

static_assert(esp::output_shape<nn::RandomHorizontalFlip<>, shape<5, 3, 4, 6>> == shape<5, 3, 4, 6>{} &&
              esp::parameter_count<nn::RandomHorizontalFlip<>> == 0);

namespace {
template <double P, esp::image_layout L>
struct by_hand {
  static constexpr int numbers = 1;
  template <class S>
  static float pixel(tensor<float, S> const& x, int n, int c, int i, int j, double const* u) {
    return axes<S, L>::at(x, n, c, i, u[0] < P ? axes<S, L>::width - 1 - j : j);
  }
};
}  // namespace

BOOST_AUTO_TEST_CASE(it_is_the_loop_with_the_same_numbers) {
  check<nn::RandomHorizontalFlip<>, by_hand<0.5, esp::nchw>, shape<33, 2, 3, 5>, esp::nchw>();
  check<nn::RandomHorizontalFlip<0.25, esp::nhwc>, by_hand<0.25, esp::nhwc>, shape<40, 4, 6, 3>, esp::nhwc>();
  check<nn::RandomHorizontalFlip<1>, by_hand<1.0, esp::nchw>, shape<9, 1, 2, 3>, esp::nchw>();
  check<nn::RandomHorizontalFlip<0>, by_hand<0.0, esp::nchw>, shape<9, 1, 2, 3>, esp::nchw>();
}
BOOST_AUTO_TEST_CASE(evaluation_is_the_identity) {
  auto const x = images<shape<3, 2, 4, 4>>();
  esp::model<nn::RandomHorizontalFlip<1>> const model{esp::seed{1}};
  tensor<float, shape<3, 2, 4, 4>> const y = model(x);
  BOOST_TEST((y == x));
}
// 20,000 images: 5,000 flips are expected, with a standard deviation of 61; of neighbours, 1,250 are both flipped.
BOOST_AUTO_TEST_CASE(images_are_flipped_independently) {
  constexpr int count = 20000;
  auto const x = std::make_unique<tensor<float, shape<count, 1, 1, 2>>>();
  for (int n = 0; n < count; ++n) (*x)[2 * n] = 1;
  auto const y = trained<nn::RandomHorizontalFlip<0.25>>(*x, 3);
  int flipped = 0, both = 0;
  for (int n = 0; n < count; ++n) {
    BOOST_TEST(y[2 * n] + y[2 * n + 1] == 1);
    flipped += y[2 * n + 1] == 1;
    both += n > 0 && y[2 * n + 1] == 1 && y[2 * n - 1] == 1;
  }
  BOOST_TEST((flipped > 5000 - 5 * 61 && flipped < 5000 + 5 * 61), flipped);
  BOOST_TEST((both > 1250 - 5 * 40 && both < 1250 + 5 * 40), both);
}
BOOST_AUTO_TEST_CASE(each_call_and_each_step_has_its_own_numbers) {
  auto const x = images<shape<64, 1, 1, 2>>();
  BOOST_TEST((trained<nn::RandomHorizontalFlip<>>(x, 3) == trained<nn::RandomHorizontalFlip<>>(x, 3)));
  BOOST_TEST(!(trained<nn::RandomHorizontalFlip<>>(x, 3) == trained<nn::RandomHorizontalFlip<>>(x, 4)));
  using Twice = nn::Sequential<nn::RandomHorizontalFlip<>, nn::RandomHorizontalFlip<>>;
  auto const twice = trained<Twice>(x, 3);
  BOOST_TEST(!(twice == x));  // the same numbers would flip back
}
BOOST_AUTO_TEST_CASE(gradients) {
  check_gradient<nn::RandomHorizontalFlip<>, shape<6, 2, 4, 5>>();
  check_gradient<nn::RandomHorizontalFlip<0.75, esp::nhwc>, shape<6, 4, 5, 2>>();
}
