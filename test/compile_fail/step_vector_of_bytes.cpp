// SPDX-License-Identifier: BSL-1.0
// expect: trainer.step\(images, targets\): images: expected a tensor, a view, or contiguous numbers of the model's element type
// expect: element_is<unsigned char, float>
#include <vector>

#include <espalier.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;
namespace optim = espalier::optim;
using Net = nn::Sequential<nn::Flatten, nn::Linear<64, 10>>;

#ifdef SHOULD_FAIL
auto f(esp::model<Net>& model, std::vector<unsigned char> const& x, std::vector<int> const& y) {
  esp::trainer train{model, nn::SoftmaxLoss{}, optim::Adam{}, esp::batch<32, 8, 8>{}};
  return train.step(x, y);
}
#else
auto f(esp::model<Net>& model, std::vector<unsigned char> const& x, std::vector<int> const& y) {
  esp::trainer train{model, nn::SoftmaxLoss{}, optim::Adam{}, esp::batch<32, 8, 8>{}};
  return train.step(esp::tensor<float, esp::shape<32, 8, 8>>(x), y);
}
#endif
