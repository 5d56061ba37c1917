// SPDX-License-Identifier: BSL-1.0
// expect: stream\{model, block\}: the model is a temporary, destroyed at the end of this expression; store it in a variable
// expect-early: lives_on<
#include <espalier/stream.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;
using Model = esp::model<nn::Linear<4, 2>>;
using Block = esp::batch<1, 8, 4>;

#ifdef SHOULD_FAIL
void f() { esp::stream s{Model{esp::seed{1}}, Block{}}; }
#else
void f() {
  Model model{esp::seed{1}};
  esp::stream s{model, Block{}};
}
#endif
