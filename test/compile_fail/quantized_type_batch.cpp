// SPDX-License-Identifier: BSL-1.0
// expect: quantized<Model, Batch>: a batch is written esp::batch<N, ...>: its extents are template arguments
#include <espalier/model/quantized.hpp>
#include <espalier/nn/nn.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;

using Net = nn::Sequential<nn::Linear<8, 4>, nn::ReLU>;
using batch = esp::batch<16, 8>;
#ifdef SHOULD_FAIL
using Run = esp::quantized<esp::model<Net>, int>;
#else
using Run = esp::quantized<esp::model<Net>, batch>;
#endif
void f(esp::model<Net> const& model, esp::activation_ranges<1> const& ranges) { Run run{model, ranges, batch{}}; }
