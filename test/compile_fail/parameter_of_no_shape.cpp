// SPDX-License-Identifier: BSL-1.0
// expect: the first argument of a parameter or buffer is a shape: esp::parameter<esp::shape<8, 4>, nn::init::initialized_by<nn::init::zeros\{\}>>
// expect-early: member_has_shape<
// lines: 10
#include <espalier.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;

struct Net {
  nn::Linear<8, 8> fc;
#ifdef SHOULD_FAIL
  esp::parameter<int, nn::init::initialized_by<nn::init::ones{}>> scale;
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
