// SPDX-License-Identifier: BSL-1.0
// expect: a model<Net, cpu, bfloat16> is for evaluation: the function updates it, its running statistics, or computes its gradient; write evaluate\(net, x\), or train a model<Net> and copy\(model, other\)
// lines: 10
#include <espalier.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;
namespace optim = espalier::optim;

#ifdef SHOULD_FAIL
using element = esp::bfloat16;
#else
using element = float;
#endif
using Model = esp::model<nn::Linear<4, 3>, esp::cpu, element>;
inline constexpr auto loss = [](auto net, auto x) { return mean(net(x)); };
auto f(Model& model, esp::tensor<float, esp::shape<8, 4>> const& x) { return esp::grad<0>(loss)(model, x); }
