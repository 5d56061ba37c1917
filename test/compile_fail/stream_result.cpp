// SPDX-License-Identifier: BSL-1.0
// expect: stream\(x, result\): result must have the stream.s output_shape
// expect: shape_is<.*shape<1, 8, 4>, (espalier::)?shape<1, 8, 2> ?>
#include <espalier/stream.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;
using Model = esp::model<nn::Linear<4, 2>>;
using Block = esp::batch<1, 8, 4>;

#ifdef SHOULD_FAIL
using Result = esp::tensor<float, esp::shape<1, 8, 4>>;
#else
using Result = esp::tensor<float, esp::shape<1, 8, 2>>;
#endif
void f(Model const& model, esp::tensor<float, Block> const& x, Result& y) {
  esp::stream s{model, Block{}};
  s(x, y);
}
