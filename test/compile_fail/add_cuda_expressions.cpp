// SPDX-License-Identifier: BSL-1.0
// expect: a \* b: operands are on different devices
// expect: same_device<(espalier::)?simulated_cuda, (espalier::)?cpu>
#include <espalier/eager/evaluate.hpp>
#include <espalier/operation/operation.hpp>
#include <espalier/simulated_cuda.hpp>

namespace esp = espalier;
using on_host = esp::tensor<float, esp::shape<3>>;
using on_device = esp::tensor<float, esp::shape<3>, esp::simulated_cuda>;

#ifdef SHOULD_FAIL
on_device f(on_device const& a, on_host const& b) { return tanh(a + 1.f) * (b - 2.f); }
#else
on_device f(on_device const& a, on_host const& b) { return tanh(a + 1.f) * (on_device(b) - 2.f); }
#endif
