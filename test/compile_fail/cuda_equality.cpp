// SPDX-License-Identifier: BSL-1.0
// expect: a == b: the elements are on the graphics processor; copy them to the host first
// expect-early: simulated_cuda
#include <espalier/simulated_cuda.hpp>

namespace esp = espalier;
using on_device = esp::tensor<float, esp::shape<2, 3>, esp::simulated_cuda>;

#ifdef SHOULD_FAIL
bool f(on_device const& x, on_device const& y) { return x == y; }
#else
bool f(on_device const& x, on_device const& y) { return x.to_host() == y.to_host(); }
#endif
