// SPDX-License-Identifier: BSL-1.0
// expect: model\(x\): expected one input; value_and_grad\(model, loss\)\(x, y\) compares its output with targets
// expect-early: one_input<
#include <espalier.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;
namespace optim = espalier::optim;
using esp::shape, esp::tensor;
using Net = nn::Linear<8, 3>;

auto f(esp::model<Net> const& model, tensor<float, shape<4, 8>> const& x,
       [[maybe_unused]] tensor<std::int32_t, shape<4>> const& y) {
#ifdef SHOULD_FAIL
  return model(x, y);
#else
  return model(x);
#endif
}
