// SPDX-License-Identifier: BSL-1.0
// expect: stack<axis>\(a, b, ...\): operands are on different devices
// expect: same_device<(espalier::)?cpu, (espalier::)?simulated_cuda>
#include <espalier/eager/evaluate.hpp>
#include <espalier/operation/operation.hpp>
#include <espalier/simulated_cuda.hpp>

namespace esp = espalier;
using on_host = esp::tensor<float, esp::shape<2, 3>>;
using on_device = esp::tensor<float, esp::shape<2, 3>, esp::simulated_cuda>;

#ifdef SHOULD_FAIL
auto f(on_host const& a, on_device const& b) { return esp::evaluate(esp::stack<0>(a, b)); }
#else
auto f(on_host const& a, on_device const& b) { return esp::evaluate(esp::stack<0>(a, b.to_host())); }
#endif
