// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <cstdint>
#include <type_traits>

#include <espalier/storage/tensor.hpp>

namespace test {

/// N samples with labels 0 to 4 that depend on their numbers alone, which begin with `first`: processes that divide a
/// batch have the samples of one process with all of it.
template <int N, int Features, class T = float>
struct divided_samples {
  espalier::tensor<T, espalier::shape<N, Features>> images;
  espalier::tensor<std::int32_t, espalier::shape<N>> labels;

  explicit divided_samples(int first) {
    using number = std::conditional_t<std::is_same_v<T, double>, double, float>;
    for (int i = 0; i < N; ++i) {
      labels.data()[i] = ((first + i) * 7 + 3) % 5;
      for (int j = 0; j < Features; ++j)
        images.data()[i * Features + j] =
            static_cast<T>(static_cast<number>(((first + i) * Features + j) * 7919 % 1000) / 500 - 1);
    }
  }
};

}  // namespace test
