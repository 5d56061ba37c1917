// SPDX-License-Identifier: BSL-1.0
// expect: constant\(model\): the model is a temporary object; declare a named model
#include <espalier.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;

using Model = esp::model<nn::Linear<3, 1>>;
inline constexpr auto score = [](auto net, auto x) { return sum(net(x)); };
auto f(esp::tensor<float, esp::shape<2, 3>> const& x) {
#ifdef SHOULD_FAIL
  return esp::grad(score)(esp::constant(Model{esp::seed{1}}), x);
#else
  Model const model{esp::seed{1}};
  return esp::grad(score)(esp::constant(model), x);
#endif
}
