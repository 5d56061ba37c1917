// SPDX-License-Identifier: BSL-1.0
// expect: calibration: the arguments do not fit the types; write x\{model, Batch\{\}\} of these types
#include <espalier/model/calibration.hpp>
#include <espalier/nn/nn.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;

using Net = nn::Sequential<nn::Linear<8, 4>, nn::ReLU>;
using batch = esp::batch<16, 8>;
using Run = esp::calibration<esp::model<Net>, batch>;
#ifdef SHOULD_FAIL
void f(esp::model<Net> const& model) { Run run{model}; }
#else
void f(esp::model<Net> const& model) { Run run{model, batch{}}; }
#endif
