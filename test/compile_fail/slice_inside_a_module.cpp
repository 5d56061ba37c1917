// SPDX-License-Identifier: BSL-1.0
// expect: a layer does not fit its input
// expect: movable<(espalier::)?shape<32, 64>, (espalier::)?slicing<1, 60, 70, 1> ?>
// expect: Window
// expect-early: layer<1, 2>
#include <espalier/model/predictor.hpp>
#include <espalier/nn/nn.hpp>
#include <espalier/operation/operation.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;

#ifdef SHOULD_FAIL
inline constexpr int last = 70;
#else
inline constexpr int last = 64;
#endif

struct Window {
  ESPALIER_MODULE(Window)
  constexpr auto forward(auto x) const { return pad<0, 0, 1, 1>(flip(tanh(esp::slice<1, 60, last>(x)))) + 1; }
};
using Net = nn::Sequential<nn::Linear<16, 64>, Window>;

void f(esp::model<Net> const& model) { esp::predictor predict{model, esp::batch<32, 16>{}}; }
