// SPDX-License-Identifier: BSL-1.0
// expect: stream\{model, block\}: a batch is written esp::batch<N, ...>\{\}
// expect: is_batch<int>
#include <espalier/stream.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;
using Model = esp::model<nn::Linear<4, 2>>;
using Block = esp::batch<1, 8, 4>;

void f(Model const& model) {
#ifdef SHOULD_FAIL
  esp::stream s{model, 8};
#else
  esp::stream s{model, Block{}};
#endif
  s.reset();
}
