// SPDX-License-Identifier: BSL-1.0
// expect: a layer does not fit its input
// expect: fills_axis<(espalier::)?shape<32, 64>, (espalier::)?along<1>, (espalier::)?to<32, 16> ?>
// expect: Gate
// expect-early: shape<32, 64>
#include <espalier/model/predictor.hpp>
#include <espalier/nn/nn.hpp>
#include <espalier/operation/operation.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;

#ifdef SHOULD_FAIL
inline constexpr int second = 16;
#else
inline constexpr int second = 32;
#endif

struct Gate {
  ESPALIER_MODULE(Gate)
  constexpr auto forward(auto x) const {
    auto const [value, gate] = esp::split<1, 32, second>(x);
    return concatenate<1>(flip<0>(value * sigmoid(gate)), slice<1, 0, 8>(gate));
  }
};
using Net = nn::Sequential<nn::Linear<16, 64>, Gate, nn::ReLU>;

void f(esp::model<Net> const& model) { esp::predictor predict{model, esp::batch<32, 16>{}}; }
