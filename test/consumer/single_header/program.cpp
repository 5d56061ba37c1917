// SPDX-License-Identifier: BSL-1.0
// The library as one header, in a program of two files: a small net learns to read pictures.
#include "net.hpp"

#include <cstdio>

int main() {
  esp::model<Net> model{esp::seed{0}};
  esp::trainer trainer{model, nn::SoftmaxLoss{}, esp::optim::SGD{.learning_rate = 0.2f}, esp::batch<32, 8, 8>{}};
  image_batch x;
  label_batch y;
  float loss = 0;
  for (std::uint64_t step = 0; step < 200; ++step) {
    random_batch(x, y, step);
    loss = trainer.step(x, y);
  }
  random_batch(x, y, 1000);
  int const known = correct(model, x, y);
  std::printf("espalier " ESPALIER_VERSION_STRING ": loss %.3f, %d of 32\n", static_cast<double>(loss), known);
  return known >= 30 && loss < 0.2f ? 0 : 1;
}
