// SPDX-License-Identifier: BSL-1.0
// expect: a number of samples that is known at run time requires parameters of float or double
// expect-early: bfloat16
#include <espalier.hpp>
#include <espalier/up_to.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;
namespace optim = espalier::optim;

#ifdef SHOULD_FAIL
using element = esp::bfloat16;
#else
using element = float;
#endif
using Model = esp::model<nn::Linear<8, 4>, esp::cpu, element>;
using batch = esp::batch<esp::up_to<64>, 8>;
void f(Model const& model) { esp::predictor predict{model, batch{}}; }
