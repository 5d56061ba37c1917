// SPDX-License-Identifier: BSL-1.0
// expect: model.parameter\(name\)\(i, ...\): a parameter found by name has no shape as a type; read and write p.span\(\)\[i\], or view<float, shape<8, 3>>\(p.span\(\)\)
// expect-early: named_as_tensor<
#include <espalier.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;
using esp::shape, esp::tensor;
using Net = nn::Linear<8, 3>;

float f(esp::model<Net>& model) {
#ifdef SHOULD_FAIL
  return model.parameter("weight")(0, 1);
#else
  return model.parameter("weight").span()[1];
#endif
}
