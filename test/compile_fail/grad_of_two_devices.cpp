// SPDX-License-Identifier: BSL-1.0
// expect: grad\(f\)\(x...\): arguments are on different devices
// expect-early: cpu
#include <espalier/eager/gradient.hpp>
#include <espalier/operation/operation.hpp>
#include <espalier/simulated_cuda.hpp>

namespace esp = espalier;
using on_host = esp::tensor<float, esp::shape<3>>;
using on_device = esp::tensor<float, esp::shape<3>, esp::simulated_cuda>;

struct product {
  constexpr auto operator()(auto x, auto y) const { return sum(x * y); }
};

#ifdef SHOULD_FAIL
auto f(on_host const& a, on_device const& b) { return esp::grad<0>(product{})(a, b); }
#else
auto f(on_host const& a, on_device const& b) { return esp::grad<0>(product{})(on_device(a), b); }
#endif
