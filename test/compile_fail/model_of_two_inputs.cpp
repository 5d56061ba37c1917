// SPDX-License-Identifier: BSL-1.0
// expect: a module got another number of inputs than its `forward` takes; targets are no input: value_and_grad\(model, loss\)\(x, y\) compares
// expect: forward_takes<(espalier::)?nn::Linear<8, 3(, .*)?>, 1, 2>
// lines: 12
// expect-26: ; forward of Linear<8, 3> takes 1 inputs, got 2
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
