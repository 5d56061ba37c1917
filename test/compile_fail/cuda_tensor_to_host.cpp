// SPDX-License-Identifier: BSL-1.0
// expect: they are on different devices
// expect: x.to_host\(\) copies it back
// expect: same_device<(espalier::)?simulated_cuda, (espalier::)?cpu>
// A tensor of a device does not become one of the host by assignment.
#include <espalier/eager/evaluate.hpp>
#include <espalier/operation/operation.hpp>
#include <espalier/simulated_cuda.hpp>

namespace esp = espalier;
using on_host = esp::tensor<float, esp::shape<3>>;
using on_device = esp::tensor<float, esp::shape<3>, esp::simulated_cuda>;

#ifdef SHOULD_FAIL
on_host f(on_device const& x) { return x; }
#else
on_host f(on_device const& x) { return x.to_host(); }
#endif
