// SPDX-License-Identifier: BSL-1.0
// expect: optim::scale_loss must be the outermost wrapper, so that every other one gets gradients without the scale
// expect-early: scaling_works<.*clip_by_norm<
#include <espalier.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;
namespace optim = espalier::optim;
using Net = nn::Linear<12, 2>;

#ifdef SHOULD_FAIL
auto constexpr optimizer = optim::clip_by_norm{optim::scale_loss{optim::Adam{}}, 0.5};
#else
auto constexpr optimizer = optim::scale_loss{optim::clip_by_norm{optim::Adam{}, 0.5}};
#endif

float f(esp::model<Net>& model, esp::tensor<float, esp::shape<4, 12>> const& x,
        esp::tensor<std::int32_t, esp::shape<4>> const& y) {
  esp::trainer trainer{model, nn::CrossEntropyLoss<>{}, optimizer, esp::batch<4, 12>{}};
  return trainer.step(x, y);
}
