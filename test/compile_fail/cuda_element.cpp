// SPDX-License-Identifier: BSL-1.0
// expect: copy them to the host first: x.to_host\(\)
// expect-early: simulated_cuda
#include <espalier/simulated_cuda.hpp>

namespace esp = espalier;
using on_device = esp::tensor<float, esp::shape<2, 3>, esp::simulated_cuda>;

#ifdef SHOULD_FAIL
float f(on_device const& x) { return x(1, 2); }
#else
float f(on_device const& x) { return x.to_host()(1, 2); }
#endif
