// SPDX-License-Identifier: BSL-1.0
// expect: model<Net>: a parameter's or buffer's initializer has numbers beyond the range of the model's element type
// expect-early: constant\{1
// lines: 10
#include <espalier.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;

struct Net {
  nn::Linear<8, 8> fc;
#ifdef SHOULD_FAIL
  esp::parameter<esp::shape<8>, nn::init::initialized_by<nn::init::constant{1e300}>> scale;
#else
  esp::parameter<esp::shape<8>, nn::init::initialized_by<nn::init::ones{}>> scale;
#endif
  ESPALIER_MODULE(Net, fc, scale)
  constexpr auto forward(auto x) const { return fc(x) * scale; }
};
auto f(esp::tensor<float, esp::shape<4, 8>> const& x) {
  esp::model<Net> model{esp::seed{1}};
  return model(x);
}
