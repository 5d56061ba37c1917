// SPDX-License-Identifier: BSL-1.0
// expect: a frozen model runs on this processor; copy\(model, other\) the parameters to a model<Net> and freeze that one
#include <espalier/model/frozen.hpp>
#include <espalier/nn/nn.hpp>
#include <espalier/simulated_cuda.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;
using Net = nn::Sequential<nn::Flatten, nn::Linear<64, 10>>;

#ifdef SHOULD_FAIL
using Model = esp::model<Net, esp::simulated_cuda>;
#else
using Model = esp::model<Net>;
#endif

void f(Model& model) { esp::frozen classify{model, esp::batch<32, 8, 8>{}}; }
