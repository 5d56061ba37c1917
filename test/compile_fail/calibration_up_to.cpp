// SPDX-License-Identifier: BSL-1.0
// expect: calibration\{model, batch\}: a batch of esp::up_to is one of predictors and trainers; write a fixed size here
#include <espalier/model/calibration.hpp>
#include <espalier/nn/nn.hpp>
#include <espalier/up_to.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;

using Net = nn::Sequential<nn::Linear<8, 4>, nn::ReLU>;
#ifdef SHOULD_FAIL
using batch = esp::batch<esp::up_to<16>, 8>;
#else
using batch = esp::batch<16, 8>;
#endif
void f(esp::model<Net> const& model) { esp::calibration run{model, batch{}}; }
