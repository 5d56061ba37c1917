// SPDX-License-Identifier: BSL-1.0
// expect: the formula uses a layer, parameter, buffer or random stream that the model does not own
// expect: make it a member of the module and list it in ESPALIER_MODULE
// expect: sound<Normed
// lines: 12
// A layer that is made where it is used has parameters that no model numbers.
#include <espalier/model/predictor.hpp>
#include <espalier/nn/nn.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;

struct Normed {
  nn::Linear<8, 8> layer;
  nn::LayerNorm1d<8> norm;
  ESPALIER_MODULE(Normed, layer, norm)
#ifdef SHOULD_FAIL
  constexpr auto forward(auto x) const { return nn::LayerNorm1d<8>{}(layer(x)); }
#else
  constexpr auto forward(auto x) const { return norm(layer(x)); }
#endif
};

auto f(esp::model<Normed> const& model, esp::tensor<float, esp::shape<4, 8>> const& x) { return model(x); }
