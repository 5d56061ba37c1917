// SPDX-License-Identifier: BSL-1.0
// expect: they are on different devices
// expect: same_device<(espalier::)?cpu, (espalier::)?simulated_cuda>
#include <espalier/eager/evaluate.hpp>
#include <espalier/operation/operation.hpp>
#include <espalier/simulated_cuda.hpp>

namespace esp = espalier;
using on_host = esp::tensor<float, esp::shape<3>>;
using on_device = esp::tensor<float, esp::shape<3>, esp::simulated_cuda>;

#ifdef SHOULD_FAIL
void f(on_device& y, on_host const& a) { y = a * 2.f; }
#else
void f(on_device& y, on_host const& a) { y = esp::evaluate(a * 2.f); }
#endif
