// SPDX-License-Identifier: BSL-1.0
#include "net.hpp"

int correct(esp::model<Net> const& model, image_batch const& x, label_batch const& y) {
  esp::predictor predict{model, esp::batch<32, 8, 8>{}};
  esp::tensor<float, esp::shape<32, 10>> scores;
  predict(x, scores);
  int count = 0;
  for (int i = 0; i < 32; ++i) {
    int best = 0;
    for (int k = 1; k < 10; ++k)
      if (scores(i, k) > scores(i, best)) best = k;
    count += best == y(i);
  }
  return count;
}
