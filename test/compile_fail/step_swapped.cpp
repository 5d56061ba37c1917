// SPDX-License-Identifier: BSL-1.0
// expect: trainer.step\(images, targets\): images and targets are swapped
// expect-early: images_before_targets<
// expect-26: images and targets are swapped; got
#include <espalier.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;
namespace optim = espalier::optim;
using esp::shape, esp::tensor;
using Net = nn::Linear<8, 3>;

float f(esp::model<Net>& model, tensor<float, shape<4, 8>> const& images,
        tensor<std::int32_t, shape<4>> const& labels) {
  esp::trainer trainer{model, nn::SoftmaxLoss{}, optim::Adam{}, esp::batch<4, 8>{}};
#ifdef SHOULD_FAIL
  return trainer.step(labels, images);
#else
  return trainer.step(images, labels);
#endif
}
