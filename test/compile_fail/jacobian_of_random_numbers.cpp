// SPDX-License-Identifier: BSL-1.0
// expect: they run f several times, and f uses random numbers or updates buffers of a model; write evaluate\(model, x\) in f
// net: espalier::(model<espalier::)?nn::(Linear<4, [35]|Dropout<espalier::nn::real{5.0e-1}|BatchNorm1d<4)(, espalier::nn::with_bias)?>(, espalier::cpu, float)?>?
// lines: 12
#include <espalier/eager/jacobian.hpp>
#include <espalier.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;
using Net = nn::Linear<4, 3>;
using Input = esp::tensor<float, esp::shape<8, 4>>;

using Noisy = nn::Dropout<0.5>;

#ifdef SHOULD_FAIL
inline constexpr auto scores = [](auto net, auto x) { return net(x); };
#else
inline constexpr auto scores = [](auto net, auto x) { return evaluate(net, x); };
#endif
auto f(esp::model<Noisy>& model, Input const& x) { return esp::jacobian(scores)(model, x); }
