// SPDX-License-Identifier: BSL-1.0
// expect: trainer.evaluate\(images, targets\): images: expected a tensor, a view, or contiguous numbers of the model's element type
// expect: element_is<double, float>
#include <vector>

#include <espalier.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;
namespace optim = espalier::optim;
using Net = nn::Sequential<nn::Flatten, nn::Linear<64, 10>>;

#ifdef SHOULD_FAIL
auto f(esp::model<Net>& model, std::vector<double> const& x, std::vector<int> const& y) {
  esp::trainer train{model, nn::SoftmaxLoss{}, optim::Adam{}, esp::batch<32, 8, 8>{}};
  return train.evaluate(x, y);
}
#else
auto f(esp::model<Net>& model, std::vector<float> const& x, std::vector<int> const& y) {
  esp::trainer train{model, nn::SoftmaxLoss{}, optim::Adam{}, esp::batch<32, 8, 8>{}};
  return train.evaluate(x, y);
}
#endif
