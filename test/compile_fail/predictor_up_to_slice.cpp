// SPDX-License-Identifier: BSL-1.0
// expect: an operation of the net slices, pads or concatenates the axis of samples
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
    auto const y = layer(x);
#ifdef SHOULD_FAIL
    constexpr int samples = decltype(x)::shape_type::template extent<0>();
    return exp(esp::slice<0, 0, samples - 1>(y));
#else
    return exp(esp::slice<1, 0, 2>(y));
#endif
  }
};

void f(esp::model<Net> const& model) { esp::predictor predict{model, esp::batch<esp::up_to<64>, 8>{}}; }
