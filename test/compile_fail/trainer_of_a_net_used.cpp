// SPDX-License-Identifier: BSL-1.0
// expect: the first argument is not a model
// expect-early: is_model<
#include <espalier.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;

using Net = nn::Linear<8, 10>;
#ifdef SHOULD_FAIL
using Model = Net;
#else
using Model = esp::model<Net>;
#endif

void f(Model& model, esp::tensor<float, esp::shape<32, 8>> const& images,
       esp::tensor<std::int32_t, esp::shape<32>> const& labels) {
  esp::trainer trainer{model, nn::SoftmaxLoss{}, esp::optim::Adam{}, esp::batch<32, 8>{}};
  trainer.optimizer().learning_rate = 0.1f;
  trainer.step(images, labels);
  static_cast<void>(trainer.evaluate(images, labels).accuracy());
  trainer.continue_after(trainer.steps() + trainer.skipped_updates());
  static_cast<void>(trainer.gradients().size() + trainer.states().size());
  static_cast<void>(trainer.penalty());
}
