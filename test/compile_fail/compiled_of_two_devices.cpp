// SPDX-License-Identifier: BSL-1.0
// expect: compiled\(x..., y...\): arguments are on different devices
// expect: same_device<(espalier::)?simulated_cuda, (espalier::)?cpu>
#include <espalier/eager/compiled.hpp>
#include <espalier/operation/operation.hpp>
#include <espalier/simulated_cuda.hpp>

namespace esp = espalier;
using on_host = esp::tensor<float, esp::shape<3>>;
using on_device = esp::tensor<float, esp::shape<3>, esp::simulated_cuda>;

struct product {
  constexpr auto operator()(auto x, auto y) const { return x * y; }
};

#ifdef SHOULD_FAIL
void f(on_device const& a, on_device const& b, on_host& y) {
#else
void f(on_device const& a, on_device const& b, on_device& y) {
#endif
  esp::compiled run{product{}, a, b};
  run(a, b, y);
}
