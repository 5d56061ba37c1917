// SPDX-License-Identifier: BSL-1.0
// expect: f updates a model, or the running statistics of its BatchNorm, once for each sample; write evaluate\(net, x\) in f
// lines: 12
#include <espalier/eager/vmap.hpp>
#include <espalier.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;

using Input = esp::tensor<float, esp::shape<8, 2, 4>>;

#ifdef SHOULD_FAIL
inline constexpr auto scores = [](auto net, auto x) { return net(x); };
#else
inline constexpr auto scores = [](auto net, auto x) { return evaluate(net, x); };
#endif
auto f(esp::model<nn::BatchNorm1d<4>>& model, Input const& x) { return esp::vmap<1>(scores)(model, x); }
