// SPDX-License-Identifier: BSL-1.0
// expect: trainer.step\(images, targets\): images: expected a tensor, a view, or contiguous numbers of the model's element type .*, evaluate\(x\) makes a tensor of a formula
#include <vector>

#include <espalier.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;
namespace optim = espalier::optim;
using Net = nn::Sequential<nn::Flatten, nn::Linear<64, 10>>;

#ifdef SHOULD_FAIL
auto f(esp::model<Net>& model, esp::tensor<float, esp::shape<32, 8, 8>> const& x, std::vector<int> const& y) {
  esp::trainer train{model, nn::SoftmaxLoss{}, optim::Adam{}, esp::batch<32, 8, 8>{}};
  return train.step(x / 255, y);
}
#else
auto f(esp::model<Net>& model, esp::tensor<float, esp::shape<32, 8, 8>> const& x, std::vector<int> const& y) {
  esp::trainer train{model, nn::SoftmaxLoss{}, optim::Adam{}, esp::batch<32, 8, 8>{}};
  return train.step(evaluate(x / 255), y);
}
#endif
