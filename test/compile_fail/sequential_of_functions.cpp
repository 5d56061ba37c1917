// SPDX-License-Identifier: BSL-1.0
// expect: a layer is not a module; use a module's type, such as nn::Linear<4, 4> without \(\)
// lines: 12
#include <espalier/model/model.hpp>
#include <espalier/nn/nn.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;

#ifdef SHOULD_FAIL
using Net = nn::Sequential<nn::Linear<8, 4>, nn::ReLU()>;
#else
using Net = nn::Sequential<nn::Linear<8, 4>, nn::ReLU>;
#endif
void f(esp::model<Net> const& model, esp::tensor<float, esp::shape<2, 8>> const& x) { auto const y = model(x); }
