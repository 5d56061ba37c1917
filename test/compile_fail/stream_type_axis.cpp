// SPDX-License-Identifier: BSL-1.0
// expect: stream<Model, Block, Axis>: a block has no axis of time
#include <espalier/stream.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;

using Net = nn::Sequential<nn::Linear<2, 3>, nn::Tanh>;
using block = esp::batch<1, 8, 2>;
#ifdef SHOULD_FAIL
using Run = esp::stream<esp::model<Net>, esp::batch<8>>;
#else
using Run = esp::stream<esp::model<Net>, block>;
#endif
void f(esp::model<Net> const& model) { Run run{model, block{}}; }
