// SPDX-License-Identifier: BSL-1.0
// expect: an operation of the net moves the axis of samples behind another axis, or multiplies samples with each other
// expect-early: sample_fault<.*, (espalier::)?matmul_ ?>
#include <espalier/nn/nn.hpp>
#include <espalier/operation/operation.hpp>
#include <espalier/up_to.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;

struct Net {
  nn::Linear<8, 4> layer;
  ESPALIER_MODULE(Net, layer)
  constexpr auto forward(auto x) const {
    auto const y = layer(x);
#ifdef SHOULD_FAIL
    return sum<1>(matmul(y, transpose(y)));
#else
    return sum<1>(y * y);
#endif
  }
};

void f(esp::model<Net> const& model) { esp::predictor predict{model, esp::batch<esp::up_to<64>, 8>{}}; }
