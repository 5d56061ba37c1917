// SPDX-License-Identifier: BSL-1.0
// expect: evaluate\(model, x\): write model\(x\), which evaluates the net; evaluate\(net, x\) is for an argument net of a function
#include <espalier.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;
using Model = esp::model<nn::Linear<3, 2>>;

auto f(Model const& model, esp::tensor<float, esp::shape<4, 3>> const& x) {
#ifdef SHOULD_FAIL
  return evaluate(model, x);
#else
  return model(x);
#endif
}
