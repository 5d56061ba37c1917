// SPDX-License-Identifier: BSL-1.0
// expect: operands are on different devices
// expect: same_device<(espalier::)?simulated_cuda, (espalier::)?cpu>
// expect-26: to the host; simulated_cuda and cpu
#include <espalier/eager/evaluate.hpp>
#include <espalier/operation/operation.hpp>
#include <espalier/simulated_cuda.hpp>

namespace esp = espalier;
using on_host = esp::tensor<float, esp::shape<3, 3>>;
using on_device = esp::tensor<float, esp::shape<3, 3>, esp::simulated_cuda>;

#ifdef SHOULD_FAIL
auto f(on_device const& a, on_host const& b) { return esp::evaluate(matmul(a, b)); }
#else
auto f(on_device const& a, on_host const& b) { return esp::evaluate(matmul(a.to_host(), b)); }
#endif
