// SPDX-License-Identifier: BSL-1.0
// expect: trainer\{model, loss, optimizer, batch...\}: the processor evaluates models of half and bfloat16 but does not train them; train a model<Net> and copy\(model, other\)
// expect-early: half
// lines: 10
#include <espalier.hpp>
#include <espalier/up_to.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;
namespace optim = espalier::optim;

#ifdef SHOULD_FAIL
using element = esp::half;
#else
using element = float;
#endif
using Model = esp::model<nn::Linear<64, 10>, esp::cpu, element>;
using batch = esp::batch<esp::up_to<32>, 64>;
void f(Model& model) { esp::trainer t{model, nn::SoftmaxLoss{}, optim::Adam{}, batch{}}; }
