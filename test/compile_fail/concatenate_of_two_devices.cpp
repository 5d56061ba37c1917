// SPDX-License-Identifier: BSL-1.0
// expect: concatenate<axis>\(a, b, ...\): operands are on different devices
// expect: same_device<(espalier::)?simulated_cuda, (espalier::)?cpu>
#include <espalier/eager/evaluate.hpp>
#include <espalier/operation/operation.hpp>
#include <espalier/simulated_cuda.hpp>

namespace esp = espalier;
using on_host = esp::tensor<float, esp::shape<2, 3>>;
using on_device = esp::tensor<float, esp::shape<2, 3>, esp::simulated_cuda>;

#ifdef SHOULD_FAIL
auto f(on_device const& a, on_device const& b, on_host const& c) { return esp::evaluate(esp::concatenate<0>(a, b, c)); }
#else
auto f(on_device const& a, on_device const& b, on_host const& c) {
  return esp::evaluate(esp::concatenate<0>(a, b, on_device(c)));
}
#endif
