// SPDX-License-Identifier: BSL-1.0
// expect: grad\(model, loss\) returns a function of \(x, y\); write grad\(model, loss\)\(x, y\)
// expect-early: passed_to_result<
#include <espalier.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;
namespace optim = espalier::optim;
using esp::shape, esp::tensor;
using Net = nn::Linear<8, 3>;

void f(esp::model<Net>& model, tensor<float, shape<4, 8>> const& x, tensor<std::int32_t, shape<4>> const& y) {
#ifdef SHOULD_FAIL
  auto const gradients = esp::grad(model, nn::SoftmaxLoss{}, x, y);
#else
  auto const gradients = esp::grad(model, nn::SoftmaxLoss{})(x, y);
#endif
}
