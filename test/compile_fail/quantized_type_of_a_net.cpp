// SPDX-License-Identifier: BSL-1.0
// expect: quantized<Model, Batch>: Model is the type of a model, esp::model<Net>; or write esp::quantized x\{model, ...\}
#include <espalier/model/quantized.hpp>
#include <espalier/nn/nn.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;

using Net = nn::Sequential<nn::Linear<8, 4>, nn::ReLU>;
using batch = esp::batch<16, 8>;
#ifdef SHOULD_FAIL
using Run = esp::quantized<Net, batch>;
#else
using Run = esp::quantized<esp::model<Net>, batch>;
#endif
void f(esp::model<Net> const& model, esp::activation_ranges<1> const& ranges) { Run run{model, ranges, batch{}}; }
