// SPDX-License-Identifier: BSL-1.0
// expect: stream<Model, Batch>: a batch is written esp::batch<N, ...>: its extents are template arguments
#include <espalier/stream.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;

using Net = nn::Sequential<nn::Linear<2, 3>, nn::Tanh>;
using block = esp::batch<1, 8, 2>;
#ifdef SHOULD_FAIL
using Run = esp::stream<esp::model<Net>, int>;
#else
using Run = esp::stream<esp::model<Net>, block>;
#endif
void f(esp::model<Net> const& model) { Run run{model, block{}}; }
