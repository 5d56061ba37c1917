// SPDX-License-Identifier: BSL-1.0
// expect: grad\(model, loss\): the processor evaluates models of half and bfloat16 but does not train them; train a model<Net> and copy\(model, other\)
// expect-early: bfloat16
#include <espalier.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;
namespace optim = espalier::optim;

#ifdef SHOULD_FAIL
using element = esp::bfloat16;
#else
using element = float;
#endif
using Model = esp::model<nn::Linear<64, 10>, esp::cpu, element>;
auto f(Model& model, esp::tensor<float, esp::shape<8, 64>> const& x,
       esp::tensor<std::int32_t, esp::shape<8>> const& y) {
  return esp::grad(model, nn::SoftmaxLoss{})(x, y);
}
