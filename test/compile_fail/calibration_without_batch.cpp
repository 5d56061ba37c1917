// SPDX-License-Identifier: BSL-1.0
// expect: calibration\{model, batch\}: a batch is written esp::batch<N, ...>\{\}: its extents are template arguments
#include <espalier/model/calibration.hpp>
#include <espalier/nn/nn.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;

using Net = nn::Sequential<nn::Linear<8, 4>, nn::ReLU>;
using batch = esp::batch<16, 8>;
#ifdef SHOULD_FAIL
void f(esp::model<Net> const& model) { esp::calibration run{model}; }
#else
void f(esp::model<Net> const& model) { esp::calibration run{model, batch{}}; }
#endif
