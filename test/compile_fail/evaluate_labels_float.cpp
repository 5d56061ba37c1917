// SPDX-License-Identifier: BSL-1.0
// expect: trainer.evaluate\(images, targets\): targets have another element type than the loss requires
// expect-early: element_is<float, int>
#include <espalier.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;
namespace optim = espalier::optim;
using Net = nn::Sequential<nn::Flatten, nn::Linear<64, 10>>;
using images = esp::tensor<float, esp::shape<32, 8, 8>>;

#ifdef SHOULD_FAIL
double f(esp::model<Net>& model, images const& x, esp::tensor<float, esp::shape<32>> const& y) {
  esp::trainer train{model, nn::SoftmaxLoss{}, optim::Adam{}, esp::batch<32, 8, 8>{}};
  return train.evaluate(x, y).loss;
}
#else
double f(esp::model<Net>& model, images const& x, esp::tensor<std::int32_t, esp::shape<32>> const& y) {
  esp::trainer train{model, nn::SoftmaxLoss{}, optim::Adam{}, esp::batch<32, 8, 8>{}};
  return train.evaluate(x, y).loss;
}
#endif
