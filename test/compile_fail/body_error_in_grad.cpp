// SPDX-License-Identifier: BSL-1.0
// expect: (no member named 'relu' in|has no member named)
// expect: total
// lines: 12
// A value of a formula has no member functions; ops are functions of the namespace. Where the user's own body is wrong,
// that is the only error.
#include <espalier/eager/gradient.hpp>
#include <espalier/operation/operation.hpp>

namespace esp = espalier;

struct total {
#ifdef SHOULD_FAIL
  constexpr auto operator()(auto x) const { return esp::sum(x.relu()); }
#else
  constexpr auto operator()(auto x) const { return esp::sum(esp::relu(x)); }
#endif
};

void f(esp::tensor<float, esp::shape<2, 4>> const& x) { static_cast<void>(esp::grad(total{})(x)); }
