// SPDX-License-Identifier: BSL-1.0
// expect: quantized: the arguments do not fit the types; write x\{model, ranges, Batch\{\}\} of these types
#include <espalier/model/quantized.hpp>
#include <espalier/nn/nn.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;

using Net = nn::Sequential<nn::Linear<8, 4>, nn::ReLU>;
using batch = esp::batch<16, 8>;
using Run = esp::quantized<esp::model<Net>, batch>;
#ifdef SHOULD_FAIL
void f(esp::model<Net> const& model, esp::activation_ranges<1> const& ranges) { Run run{model, ranges}; }
#else
void f(esp::model<Net> const& model, esp::activation_ranges<1> const& ranges) { Run run{model, ranges, batch{}}; }
#endif
