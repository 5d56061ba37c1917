// SPDX-License-Identifier: BSL-1.0
// expect: model.parameter\(name\) = x: a parameter found by name has no shape as a type; read and write p.span\(\)\[i\], or view<float, shape<8, 3>>\(p.span\(\)\)
// expect-early: named_as_tensor<
#include <espalier.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;
using esp::shape, esp::tensor;
using Net = nn::Linear<8, 3>;

void f(esp::model<Net>& model, tensor<float, shape<8, 3>> const& weight) {
#ifdef SHOULD_FAIL
  model.parameter("weight") = weight;
#else
  auto const p = model.parameter("weight");
  esp::view<float, shape<8, 3>> values(p.span());
  values = weight * 1;
#endif
}
