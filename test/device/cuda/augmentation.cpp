// SPDX-License-Identifier: BSL-1.0
// Modules that change images at random give the same bits on a device as on the processor, and whole windows of images
// of 16-bit numbers.
#define BOOST_TEST_MODULE device_cuda_augmentation
#include <boost/test/unit_test.hpp>

#include "support/augmentation.hpp"
#include "support/test_device.hpp"

using namespace augmentation;
using test::device;

namespace {
template <class Module, class S, class T = float>
tensor<T, S> trained_there(tensor<T, S> const& x, std::uint64_t seed) {
  esp::model<Shown<Module, S>, device, T> model{esp::seed{seed}};
  (void)esp::value_and_grad(model, Weighted{})(x, x);
  tensor<T, S> y;
  model.buffer("seen").to_host({y.data(), S::size});
  return y;
}
template <class Module, class S>
void same_bits() {
  auto const x = images<S>();
  for (std::uint64_t const seed : {std::uint64_t{1}, std::uint64_t{2}}) {
    auto const here = trained<Module>(x, seed), there = trained_there<Module>(x, seed);
    BOOST_TEST((here == there));
    BOOST_TEST(!(here == x));
  }
}
}  // namespace

BOOST_AUTO_TEST_CASE(the_same_bits) {
  same_bits<nn::RandomHorizontalFlip<>, shape<9, 2, 3, 5>>();
  same_bits<nn::RandomHorizontalFlip<0.25, esp::nhwc>, shape<9, 3, 5, 2>>();
  same_bits<nn::RandomCrop<4>, shape<9, 2, 8, 6>>();
  same_bits<nn::RandomCrop<1, esp::nhwc>, shape<9, 4, 5, 2>>();
  same_bits<nn::Sequential<nn::RandomCrop<2>, nn::RandomHorizontalFlip<>>, shape<9, 3, 8, 8>>();
}
// Rounded random numbers may be 1: the window is inside the padded image all the same.
BOOST_AUTO_TEST_CASE(crops_of_16_bit_numbers_are_windows) {
  using S = shape<200, 1, 4, 4>;
  tensor<esp::bfloat16, S> const x{images<S>()};
  auto const y = trained_there<nn::RandomCrop<2>>(x, 5);
  int shifts[5][5] = {};
  for (int n = 0; n < 200; ++n) {
    int found = 0;
    for (int down = -2; down <= 2; ++down)
      for (int right = -2; right <= 2; ++right) {
        bool same = true;
        for (int i = 0; i < 4; ++i)
          for (int j = 0; j < 4; ++j) {
            bool const inside = i + down >= 0 && i + down < 4 && j + right >= 0 && j + right < 4;
            float const expected = inside ? static_cast<float>(x[16 * n + 4 * (i + down) + j + right]) : 0.0f;
            same = same && static_cast<float>(y[16 * n + 4 * i + j]) == expected;
          }
        found += same;
        shifts[down + 2][right + 2] += same;
      }
    BOOST_TEST(found == 1);
  }
  int different = 0;
  for (auto const& row : shifts)
    for (int const each : row) different += each > 0;
  BOOST_TEST(different == 25);
}
