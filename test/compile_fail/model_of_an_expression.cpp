// SPDX-License-Identifier: BSL-1.0
// expect: model\(x\): x is a tensor or view; of an expression write model\(evaluate\(x\)\)
// expect-early: shape<32, 8, 8>
#include <espalier.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;
namespace optim = espalier::optim;

#ifdef SHOULD_FAIL
using Net = nn::Sequential<nn::Flatten, nn::Linear<64, 10>>;
auto f(esp::model<Net> const& model, esp::tensor<float, esp::shape<32, 8, 8>> const& x) { return model(x / 255); }
#else
using Net = nn::Sequential<nn::Flatten, nn::Linear<64, 10>>;
auto f(esp::model<Net> const& model, esp::tensor<float, esp::shape<32, 8, 8>> const& x) {
  return model(evaluate(x / 255));
}
#endif
