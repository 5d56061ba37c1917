// SPDX-License-Identifier: BSL-1.0
// expect: stream: the arguments do not fit the types; write x\{model, Block\{\}\} of these types
#include <espalier/stream.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;

using Net = nn::Sequential<nn::Linear<2, 3>, nn::Tanh>;
using block = esp::batch<1, 8, 2>;
#ifdef SHOULD_FAIL
void f(esp::model<Net> const& model) { esp::stream<esp::model<Net>, block> run{model}; }
#else
void f(esp::model<Net> const& model) { esp::stream<esp::model<Net>, block> run{model, block{}}; }
#endif
