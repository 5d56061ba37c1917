// SPDX-License-Identifier: BSL-1.0
// expect: trainer.evaluate\(images, targets\): targets must have the shape that the loss requires
// expect: shape_is<(espalier::)?shape<32, 1>, (espalier::)?shape<32> ?>
// expect-early: shape<32, 1>
// expect-early: shape<32>
#include <espalier.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;
namespace optim = espalier::optim;
using Net = nn::Sequential<nn::Flatten, nn::Linear<64, 10>>;

#ifdef SHOULD_FAIL
float f(esp::model<Net>& model, esp::tensor<float, esp::shape<32, 8, 8>> const& x,
        esp::tensor<std::int32_t, esp::shape<32, 1>> const& y) {
  esp::trainer train{model, nn::SoftmaxLoss{}, optim::Adam{}, esp::batch<32, 8, 8>{}};
  return static_cast<float>(train.evaluate(x, y).loss);
}
#else
float f(esp::model<Net>& model, esp::tensor<float, esp::shape<32, 8, 8>> const& x,
        esp::tensor<std::int32_t, esp::shape<32>> const& y) {
  esp::trainer train{model, nn::SoftmaxLoss{}, optim::Adam{}, esp::batch<32, 8, 8>{}};
  return static_cast<float>(train.evaluate(x, y).loss);
}
#endif
