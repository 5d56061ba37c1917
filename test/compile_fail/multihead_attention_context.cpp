// SPDX-License-Identifier: BSL-1.0
// expect: a layer does not fit its input
// expect: attends<(espalier::)?shape<2, 2, 5, 4>, (espalier::)?shape<3, 2, 7, 4>, (espalier::)?shape<3, 2, 7, 4> ?>
// expect: MultiheadAttention<8, 2
#include <espalier.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;

#ifdef SHOULD_FAIL
constexpr int batch = 3;  // of the context; x has 2
#else
constexpr int batch = 2;
#endif
auto f(esp::model<nn::MultiheadAttention<8, 2>> const& model, esp::tensor<float, esp::shape<2, 5, 8>> const& x,
       esp::tensor<float, esp::shape<batch, 7, 8>> const& context) {
  return model(x, context);
}
