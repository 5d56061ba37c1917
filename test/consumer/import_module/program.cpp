// SPDX-License-Identifier: BSL-1.0
// A program that imports the library, and shares a model with a file that includes it.
// [program]
#include <cstdint>
#include <cstdio>

#include <espalier/macros.hpp>

import espalier;

#include "net.hpp"

int main() {
  Model model{espalier::seed{1}};
  espalier::trainer trainer{model, espalier::nn::SoftmaxLoss{}, espalier::optim::Adam{.learning_rate = 0.05},
                            espalier::batch<32, 4>{}};
  // [/program]
  Inputs x;
  Labels labels;
  for (int i = 0; i < 32; ++i) {
    for (int j = 0; j < 4; ++j) x(i, j) = static_cast<float>((i * 5 + j * 3) % 7 - 3) / 3.0f;
    labels(i) = x(i, 0) + x(i, 1) > x(i, 2) ? 1 : 0;
  }
  float loss = 0;
  for (int step = 0; step < 200; ++step) loss = trainer.step(x, labels);
  std::printf("espalier " ESPALIER_VERSION_STRING ": loss %s, %d of 32\n", loss < 0.1f ? "small" : "large",
              count_right(model, x, labels));
}
