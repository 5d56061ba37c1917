// SPDX-License-Identifier: BSL-1.0
// expect: optim::lazy must be the outermost wrapper of an optimizer that updates each parameter by itself
// expect-early: lazy_works<.*lazy<
#include <espalier.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;
namespace optim = espalier::optim;
#ifdef SHOULD_FAIL
using Net = nn::Linear<3, 2>;
using X = esp::tensor<float, esp::shape<4, 3>>;
#else
using Net = nn::Sequential<nn::Embedding<10, 4>, nn::Flatten, nn::Linear<12, 2>>;
using X = esp::tensor<std::int32_t, esp::shape<4, 3>>;
#endif

float f(esp::model<Net>& model, X const& x, esp::tensor<std::int32_t, esp::shape<4>> const& y) {
  esp::trainer trainer{model, nn::CrossEntropyLoss<>{}, optim::lazy{optim::Adam{}}, esp::batch<4, 3>{}};
  return trainer.step(x, y);
}
