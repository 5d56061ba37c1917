// SPDX-License-Identifier: BSL-1.0
// expect: optim::lazy must be the outermost wrapper of an optimizer that updates each parameter by itself
// expect-early: lazy_works<.*clip_by_norm<
#include <espalier.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;
namespace optim = espalier::optim;
using Net = nn::Sequential<nn::Embedding<10, 4>, nn::Flatten, nn::Linear<12, 2>>;

#ifdef SHOULD_FAIL
auto constexpr optimizer = optim::clip_by_norm{optim::lazy{optim::Adam{}}, 0.5};
#else
auto constexpr optimizer = optim::clip_by_norm{optim::Adam{}, 0.5};
#endif

float f(esp::model<Net>& model, esp::tensor<std::int32_t, esp::shape<4, 3>> const& x,
        esp::tensor<std::int32_t, esp::shape<4>> const& y) {
  esp::trainer trainer{model, nn::CrossEntropyLoss<>{}, optimizer, esp::batch<4, 3>{}};
  return trainer.step(x, y);
}
