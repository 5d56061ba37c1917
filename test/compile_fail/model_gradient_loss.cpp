// SPDX-License-Identifier: BSL-1.0
// expect: the loss does not accept this prediction and target
// expect: scalar_result<(espalier::)?shape<32, 10> ?>
// expect-early: shape<32, 10>
#include <espalier.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;
namespace optim = espalier::optim;
using Net = nn::Sequential<nn::Flatten, nn::Linear<64, 10>>;
using images = esp::tensor<float, esp::shape<32, 8, 8>>;

#ifdef SHOULD_FAIL
auto f(esp::model<Net>& model, images const& x, esp::tensor<float, esp::shape<32, 10>> const& y) {
  return esp::value_and_grad(model, nn::L1Loss<esp::reduce::none>{})(x, y).loss;
}
#else
auto f(esp::model<Net>& model, images const& x, esp::tensor<float, esp::shape<32, 10>> const& y) {
  return esp::value_and_grad(model, nn::L1Loss<esp::reduce::mean>{})(x, y).loss;
}
#endif
