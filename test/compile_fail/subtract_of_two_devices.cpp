// SPDX-License-Identifier: BSL-1.0
// expect: a - b: operands are on different devices
// expect-early: same_device<(espalier::)?simulated_cuda, (espalier::)?cpu>
#include <espalier/eager/evaluate.hpp>
#include <espalier/operation/operation.hpp>
#include <espalier/simulated_cuda.hpp>

namespace esp = espalier;
using S = esp::shape<3>;

#ifdef SHOULD_FAIL
auto f(esp::tensor<float, S, esp::simulated_cuda> const& a, esp::tensor<float, S> const& b) {
  return esp::evaluate(a - b);
}
#else
auto f(esp::tensor<float, S, esp::simulated_cuda> const& a, esp::tensor<float, S, esp::simulated_cuda> const& b) {
  return esp::evaluate(a - b);
}
#endif
