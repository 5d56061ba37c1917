// SPDX-License-Identifier: BSL-1.0
// expect: tensor = model.parameter\(name\): a parameter found by name has no shape as a type; read and write p.span\(\)\[i\], or view<float, shape<8, 3>>\(p.span\(\)\)
// expect-early: named_as_tensor<
#include <espalier.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;
using esp::shape, esp::tensor;
using Net = nn::Linear<8, 3>;

tensor<float, shape<8, 3>> f(esp::model<Net>& model) {
#ifdef SHOULD_FAIL
  tensor<float, shape<8, 3>> weight = model.parameter<"weight">();
#else
  auto const p = model.parameter<"weight">();
  tensor<float, shape<8, 3>> weight(esp::view<float, shape<8, 3>>(p.span()));
#endif
  return weight;
}
