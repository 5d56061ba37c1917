// SPDX-License-Identifier: BSL-1.0
// expect: f calls grad, vmap, scan, checkpoint, parameter_of or a similar function with arguments that do not fit
// expect: step_returns_values<void>
// expect-26: the step returns void; expected values
#include <espalier.hpp>

namespace esp = espalier;

inline constexpr auto f = [](auto x) {
  return sum(esp::repeat<3>(
      [](auto s) {
#ifdef SHOULD_FAIL
        s = 0.5 * s;
#else
        return 0.5 * s;
#endif
      },
      x));
};
auto g(esp::tensor<float, esp::shape<3>> const& x) { return esp::grad(f)(x); }
