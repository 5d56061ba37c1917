// SPDX-License-Identifier: BSL-1.0
// expect: trainer.step\(images, targets\): images must have the shape of one of the trainer's batches
// expect-early: one_of_batches<espalier::shape<2>, espalier::shape<4, 8>
// expect-26: got \(2\), the batches are \(4, 8\)
#include <espalier.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;
namespace optim = espalier::optim;
using esp::shape, esp::tensor;
using Net = nn::Linear<8, 3>;

#ifdef SHOULD_FAIL
using Images = tensor<double, shape<2>>;
using Targets = tensor<float, shape<3, 5>>;
#else
using Images = tensor<float, shape<4, 8>>;
using Targets = tensor<std::int32_t, shape<4>>;
#endif
float f(esp::model<Net>& model, Images const& images, Targets const& targets) {
  esp::trainer trainer{model, nn::SoftmaxLoss{}, optim::Adam{}, esp::batch<4, 8>{}};
  return trainer.step(images, targets);
}
