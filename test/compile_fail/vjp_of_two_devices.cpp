// SPDX-License-Identifier: BSL-1.0
// expect: vjp\(f\)\(x...\)\(dy\): dy must be on the device of x
// expect-early: same_device<(espalier::)?cpu, (espalier::)?simulated_cuda>
#include <espalier/eager/gradient.hpp>
#include <espalier/operation/operation.hpp>
#include <espalier/simulated_cuda.hpp>

namespace esp = espalier;
using on_host = esp::tensor<float, esp::shape<3>>;
using on_device = esp::tensor<float, esp::shape<3>, esp::simulated_cuda>;

struct squared {
  constexpr auto operator()(auto x) const { return x * x; }
};

#ifdef SHOULD_FAIL
auto f(on_device const& x, on_host const& dy) { return esp::vjp(squared{})(x)(dy); }
#else
auto f(on_device const& x, on_host const& dy) { return esp::vjp(squared{})(x)(on_device(dy)); }
#endif
