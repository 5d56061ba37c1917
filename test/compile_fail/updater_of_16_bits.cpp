// SPDX-License-Identifier: BSL-1.0
// expect: updater\{model, optimizer\}: the processor evaluates models of half and bfloat16 but does not train them; train a model<Net> and copy\(model, other\)
// expect-early: half
#include <espalier.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;
namespace optim = espalier::optim;

#ifdef SHOULD_FAIL
using element = esp::half;
#else
using element = float;
#endif
using Model = esp::model<nn::Linear<64, 10>, esp::cpu, element>;
void f(Model& model) { optim::updater adam{model, optim::Adam{}}; }
