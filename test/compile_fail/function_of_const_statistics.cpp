// SPDX-License-Identifier: BSL-1.0
// expect: the function changes a model that is const
// lines: 10
#include <espalier.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;
using Net = nn::Linear<4, 3>;
using Input = esp::tensor<float, esp::shape<8, 4>>;

using Normalised = nn::BatchNorm1d<4>;

#ifdef SHOULD_FAIL
inline constexpr auto loss = [](auto net, auto x) { return mean(net(x)); };
#else
inline constexpr auto loss = [](auto net, auto x) { return mean(evaluate(net, x)); };
#endif
auto f(esp::model<Normalised> const& model, Input const& x) { return esp::value_and_grad<0>(loss)(model, x); }
