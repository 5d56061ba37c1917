// SPDX-License-Identifier: BSL-1.0
// expect: an operation of the net combines samples in another way than by a sum, mean or extremum over all of them
// expect-early: sample_fault<.*, (espalier::)?moved_ ?>
#include <espalier/nn/nn.hpp>
#include <espalier/operation/operation.hpp>
#include <espalier/up_to.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;

struct Net {
  nn::Linear<8, 4> layer;
  ESPALIER_MODULE(Net, layer)
  constexpr auto forward(auto x) const {
#ifdef SHOULD_FAIL
    return layer(x + esp::flip<0>(x));
#else
    return layer(x + esp::flip<1>(x));
#endif
  }
};

void f(esp::model<Net>& model) {
  esp::trainer trainer{model, nn::SoftmaxLoss{}, esp::optim::Adam{}, esp::batch<esp::up_to<64>, 8>{}};
}
