// SPDX-License-Identifier: BSL-1.0
// expect: a number of samples that is known at run time requires a model on the processor; use fixed batch sizes
#include <espalier/nn/nn.hpp>
#include <espalier/simulated_cuda.hpp>
#include <espalier/up_to.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;

#ifdef SHOULD_FAIL
using batch = esp::batch<esp::up_to<64>, 8>;
#else
using batch = esp::batch<64, 8>;
#endif
void f(esp::model<nn::Linear<8, 4>, esp::simulated_cuda> const& model) { esp::predictor predict{model, batch{}}; }
