// SPDX-License-Identifier: BSL-1.0
// expect: trainer.step\(images, targets\): expected the images of a batch and their targets
#include <espalier/model/trainer.hpp>
#include <espalier/nn/nn.hpp>
#include <espalier/optim/adam.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;

using Model = esp::model<nn::Linear<4, 3>>;
using Trainer = esp::trainer<Model, nn::MeanSquaredError, esp::optim::Adam, esp::batch<8, 4>>;

#ifdef SHOULD_FAIL
float f(Trainer& train, esp::tensor<float, esp::shape<8, 4>> const& x, esp::tensor<float, esp::shape<8, 3>> const&) {
  return train.step(x);
}
#else
float f(Trainer& train, esp::tensor<float, esp::shape<8, 4>> const& x, esp::tensor<float, esp::shape<8, 3>> const& y) {
  return train.step(x, y);
}
#endif
