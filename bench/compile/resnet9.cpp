// SPDX-License-Identifier: BSL-1.0
// ResNet9 with Adam: forward, backward and update of nine layers with convolutions.
#include <espalier.hpp>

namespace esp = espalier;

int main() {
  esp::model<esp::nn::ResNet9<10>> model{esp::seed{0}};
  esp::trainer trainer{model, esp::nn::SoftmaxLoss{}, esp::optim::Adam{.learning_rate = 1e-3f},
                       esp::batch<32, 3, 32, 32>{}};
  esp::tensor<float, esp::shape<32, 3, 32, 32>> const images;
  esp::tensor<std::int32_t, esp::shape<32>> const labels;
  return trainer.step(images, labels) > 0 ? 0 : 1;
}
