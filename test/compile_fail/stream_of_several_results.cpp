// SPDX-License-Identifier: BSL-1.0
// expect: `forward` of the net returns several values, a stream one; return the outputs alone, as nn::Outputs<nn::LSTM<\.\.\.>> does
// lines: 9
#include <espalier.hpp>
#include <espalier/stream.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;
using Layer = nn::LSTM<1, 4, nn::lstm{.batch_first = true}>;
#ifdef SHOULD_FAIL
using Model = esp::model<Layer>;
#else
using Model = esp::model<nn::Outputs<Layer>>;
#endif

void f(Model const& model) { esp::stream effect{model, esp::batch<1, 8, 1>{}}; }
