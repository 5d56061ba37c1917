// SPDX-License-Identifier: BSL-1.0
// expect: a stream cannot be copied or moved: construct another one, then restore
#include <espalier/stream.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;
using Model = esp::model<nn::Linear<4, 2>>;
using Block = esp::batch<1, 8, 4>;

#ifdef SHOULD_FAIL
void f(Model const&, esp::stream<Model, Block>& s) { esp::stream another = s; }
#else
void f(Model const& model, esp::stream<Model, Block>& s) {
  esp::stream another{model, Block{}};
  another.restore(s.save());
}
#endif
