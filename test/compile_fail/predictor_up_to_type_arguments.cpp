// SPDX-License-Identifier: BSL-1.0
// expect: predictor: the arguments do not fit the types; write x\{model, Batch\{\}\} of these types
#include <espalier/nn/nn.hpp>
#include <espalier/up_to.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;

using Net = nn::Sequential<nn::Linear<8, 4>, nn::ReLU>;
using batch = esp::batch<esp::up_to<16>, 8>;
#ifdef SHOULD_FAIL
void f(esp::model<Net> const& model) { esp::predictor<esp::model<Net>, batch> run{model}; }
#else
void f(esp::model<Net> const& model) { esp::predictor<esp::model<Net>, batch> run{model, batch{}}; }
#endif
