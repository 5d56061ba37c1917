// SPDX-License-Identifier: BSL-1.0
// expect: tensor = formula: the formula has no values; create a model of the layer, esp::model<Layer> m, and call m\(x\)
// expect-early: shape<8, 4>
#include <espalier.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;

using esp::shape, esp::tensor;

#ifdef SHOULD_FAIL
tensor<float, shape<8, 4>> f(tensor<float, shape<8, 4>> const& x) {
  nn::Linear<4, 4> layer;
  return layer(x);
}
#else
tensor<float, shape<8, 4>> f(tensor<float, shape<8, 4>> const& x) {
  esp::model<nn::Linear<4, 4>> layer;
  return layer(x);
}
#endif
