// SPDX-License-Identifier: BSL-1.0
// expect: frozen\(x, scores\): scores are missing; they are written into a tensor<T, output_shape> or other memory of yours
// expect-early: has_room_for_scores<
#include <espalier.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;
namespace optim = espalier::optim;
using esp::shape, esp::tensor;
using Net = nn::Linear<8, 3>;

void f(esp::model<Net>& model, tensor<float, shape<4, 8>> const& x) {
  esp::frozen frozen{model, esp::batch<4, 8>{}};
#ifdef SHOULD_FAIL
  auto const scores = frozen(x);
#else
  tensor<float, shape<4, 3>> scores;
  frozen(x, scores);
#endif
}
