// SPDX-License-Identifier: BSL-1.0
// expect: frozen\{model, batch\}:
// expect-early: shape<-1000000064, 8>
#include <espalier/nn/nn.hpp>
#include <espalier/up_to.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;

#ifdef SHOULD_FAIL
using batch = esp::batch<esp::up_to<64>, 8>;
#else
using batch = esp::batch<64, 8>;
#endif
void f(esp::model<nn::Linear<8, 4>> const& model) { esp::frozen net{model, batch{}}; }
