// SPDX-License-Identifier: BSL-1.0
// expect: trainer.step\(images, targets\): targets must have the shape that the loss requires
// expect: shape_is<(espalier::)?shape<32, 1>, (espalier::)?shape<32, 10> ?>
// expect-early: shape<32, 1>
// expect-early: shape<32, 10>
#include <espalier.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;
namespace optim = espalier::optim;
using Net = nn::Sequential<nn::Flatten, nn::Linear<64, 10>>;

#ifdef SHOULD_FAIL
float f(esp::model<Net>& model, esp::tensor<float, esp::shape<32, 8, 8>> const& x,
        esp::tensor<float, esp::shape<32, 1>> const& y) {
  esp::trainer train{model, nn::MeanSquaredError{}, optim::Adam{}, esp::batch<32, 8, 8>{}};
  return train.step(x, y);
}
#else
float f(esp::model<Net>& model, esp::tensor<float, esp::shape<32, 8, 8>> const& x,
        esp::tensor<float, esp::shape<32, 10>> const& y) {
  esp::trainer train{model, nn::MeanSquaredError{}, optim::Adam{}, esp::batch<32, 8, 8>{}};
  return train.step(x, y);
}
#endif
