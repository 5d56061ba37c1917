// SPDX-License-Identifier: BSL-1.0
// expect: f calls grad, vmap, scan, checkpoint, parameter_of or a similar function with arguments that do not fit
// expect: step_returns_state_and_output<void>
// expect-26: the step returns void
#include <espalier.hpp>

namespace esp = espalier;

inline constexpr auto f = [](auto s, auto xs) {
  auto const [last, all] = esp::scan(
      [](auto state, auto x) {
#ifdef SHOULD_FAIL
        state = state + x;
#else
        return std::tuple{state + x, x};
#endif
      },
      s, xs);
  return sum(last) + sum(all);
};
auto g(esp::tensor<float, esp::shape<3>> const& s, esp::tensor<float, esp::shape<5, 3>> const& xs) {
  return esp::grad(f)(s, xs);
}
