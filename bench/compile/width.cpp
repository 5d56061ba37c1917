// SPDX-License-Identifier: BSL-1.0
// A layer of -DWIDTH=n units, forward, backward and Adam: what width costs the compiler, which is nothing but numbers
// to it.
#include <espalier.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;
namespace optim = espalier::optim;

#ifndef WIDTH
#define WIDTH 64
#endif

using Net =
    nn::Sequential<nn::Linear<WIDTH, WIDTH>, nn::LayerNorm1d<WIDTH>, nn::ReLU, nn::Dropout<0.1>, nn::Linear<WIDTH, 10>>;

int main() {
  esp::model<Net> model{esp::seed{0}};
  esp::trainer trainer{model, nn::SoftmaxLoss{}, optim::Adam{.learning_rate = 1e-3f}, esp::batch<32, WIDTH>{}};
  esp::tensor<float, esp::shape<32, WIDTH>> rows{};
  esp::tensor<std::int32_t, esp::shape<32>> labels{};
  float loss = 0;
  for (int step = 0; step < 10; ++step) loss = trainer.step(rows, labels);
  return loss < 3 ? 0 : 1;
}
