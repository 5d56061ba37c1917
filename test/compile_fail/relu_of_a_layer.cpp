// SPDX-License-Identifier: BSL-1.0
// expect: an op takes tensors, views and formulas, .* layer\(x\) for a layer
// lines: 12
// A net is given to an op, instead of its result.
#include <espalier.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;

struct net {
  nn::Linear<4, 2> fc;
  ESPALIER_MODULE(net, fc)
#ifdef SHOULD_FAIL
  constexpr auto forward(auto) const { return esp::relu(fc); }
#else
  constexpr auto forward(auto x) const { return relu(fc(x)); }
#endif
};

auto f(esp::model<net> const& model, esp::tensor<float, esp::shape<3, 4>> const& x) { return model(x); }
