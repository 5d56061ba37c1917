// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <espalier-single.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;

using Net = nn::Sequential<nn::Flatten, nn::Linear<64, 16>, nn::ReLU, nn::Linear<16, 10>>;
using image_batch = esp::tensor<float, esp::shape<32, 8, 8>>;
using label_batch = esp::tensor<std::int32_t, esp::shape<32>>;

/// Ten kinds of pictures in noise: the lines 0 to 4 or the columns 0 to 4 are bright.
inline void random_batch(image_batch& x, label_batch& y, std::uint64_t number) {
  nn::init::fill(nn::init::uniform{}, x.span(), {.seed = number});
  for (int i = 0; i < 32; ++i) {
    int const kind = (i + static_cast<int>(number)) % 10;
    for (int j = 0; j < 8; ++j) (kind < 5 ? x(i, kind, j) : x(i, j, kind - 5)) += 2;
    y(i) = kind;
  }
}

/// How many of the 32 pictures the model names correctly; in a file of its own.
int correct(esp::model<Net> const& model, image_batch const& x, label_batch const& y);
