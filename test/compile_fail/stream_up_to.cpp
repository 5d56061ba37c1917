// SPDX-License-Identifier: BSL-1.0
// expect: stream\{model, block\}: a batch of esp::up_to is one of predictors and trainers; write a fixed size here
#include <espalier/stream.hpp>
#include <espalier/up_to.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;

using Net = nn::Sequential<nn::Linear<2, 3>, nn::Tanh>;
#ifdef SHOULD_FAIL
using block = esp::batch<esp::up_to<4>, 8, 2>;
#else
using block = esp::batch<4, 8, 2>;
#endif
void f(esp::model<Net> const& model) { esp::stream run{model, block{}}; }
