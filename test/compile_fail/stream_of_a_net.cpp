// SPDX-License-Identifier: BSL-1.0
// expect: stream\{model, block\}: the first argument is not a model; write esp::model<Net> model\{esp::seed\{0\}\}, and pass it
#include <espalier.hpp>
#include <espalier/stream.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;

void f() {
#ifdef SHOULD_FAIL
  nn::Linear<1, 4> const model{};
#else
  esp::model<nn::Linear<1, 4>> const model{esp::seed{0}};
#endif
  esp::stream effect{model, esp::batch<1, 8, 1>{}};
}
