// SPDX-License-Identifier: BSL-1.0
// expect: stream\(x, result\): x must have the shape of the stream.s blocks
// expect: shape_is<.*shape<1, 7, 4>, (espalier::)?shape<1, 8, 4> ?>
#include <espalier/stream.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;
using Model = esp::model<nn::Linear<4, 2>>;
using Block = esp::batch<1, 8, 4>;

#ifdef SHOULD_FAIL
using Input = esp::tensor<float, esp::shape<1, 7, 4>>;
#else
using Input = esp::tensor<float, esp::shape<1, 8, 4>>;
#endif
void f(Model const& model, Input const& x, esp::tensor<float, esp::shape<1, 8, 2>>& y) {
  esp::stream s{model, Block{}};
  s(x, y);
}
