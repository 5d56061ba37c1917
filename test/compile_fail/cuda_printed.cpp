// SPDX-License-Identifier: BSL-1.0
// expect: out << x: the elements are on the graphics processor; copy them to the host first
// expect-early: simulated_cuda
#include <espalier/simulated_cuda.hpp>
#include <espalier/storage/print.hpp>
#include <ostream>

namespace esp = espalier;
using on_device = esp::tensor<float, esp::shape<2, 3>, esp::simulated_cuda>;

#ifdef SHOULD_FAIL
void f(std::ostream& out, on_device const& x) { out << x; }
#else
void f(std::ostream& out, on_device const& x) { out << x.to_host(); }
#endif
