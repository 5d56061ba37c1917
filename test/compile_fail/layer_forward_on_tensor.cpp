// SPDX-License-Identifier: BSL-1.0
// expect: evaluate\(formula\): the formula has no values; create a model of the layer
// expect-early: shape<8, 4>
#include <espalier.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;

using esp::shape, esp::tensor;

#ifdef SHOULD_FAIL
auto f(tensor<float, shape<8, 4>> const& x) {
  nn::Linear<4, 4> layer;
  return evaluate(layer.forward(x));
}
#else
auto f(tensor<float, shape<8, 4>> const& x) {
  nn::ReLU layer;
  return evaluate(layer.forward(x));
}
#endif
