// SPDX-License-Identifier: BSL-1.0
// expect: a differentiated argument is a tensor of float or double; for parameters of models use grad or vjp
// net: espalier::(model<espalier::)?nn::(Linear<4, [35]|Dropout<espalier::nn::real{5.0e-1}|BatchNorm1d<4)(, espalier::nn::with_bias)?>(, espalier::cpu, float)?>?
// lines: 10
#include <espalier/eager/jvp.hpp>
#include <espalier.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;
using Net = nn::Linear<4, 3>;
using Input = esp::tensor<float, esp::shape<8, 4>>;

inline constexpr auto loss = [](auto net, auto x) { return mean(net(x)); };

#ifdef SHOULD_FAIL
auto f(esp::model<Net>& net, Input const& x, Input const& dx) { return esp::jvp<0>(loss)(net, x)(dx); }
#else
auto f(esp::model<Net>& net, Input const& x, Input const& dx) { return esp::jvp<1>(loss)(net, x)(dx); }
#endif
