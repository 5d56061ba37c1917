// SPDX-License-Identifier: BSL-1.0
// expect: the initializer of a parameter or buffer must be an initialized_by<value> of an initializer; write nn::init::initialized_by<nn::init::ones\{\}> instead of nn::init::ones or of none
// expect-early: member_begins<
// lines: 10
#include <espalier.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;

struct Net {
  nn::Linear<8, 8> fc;
#ifdef SHOULD_FAIL
  esp::parameter<esp::shape<8>, nn::init::ones> scale;
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
