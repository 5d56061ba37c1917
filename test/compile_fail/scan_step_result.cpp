// SPDX-License-Identifier: BSL-1.0
// expect: f calls grad, vmap, scan, checkpoint, parameter_of or a similar function with arguments that do not fit
// expect: step_returns_state_and_output<
// expect-26: the step returns \(3\)
#include <espalier.hpp>

namespace esp = espalier;

#ifdef SHOULD_FAIL
inline constexpr auto step = [](auto s, auto x) { return tanh(s + x); };
#else
inline constexpr auto step = [](auto s, auto x) { return std::tuple{tanh(s + x), x}; };
#endif
inline constexpr auto f = [](auto s, auto xs) { return sum(std::get<0>(esp::scan(step, s, xs))); };
auto g(esp::tensor<float, esp::shape<3>> const& s, esp::tensor<float, esp::shape<5, 3>> const& xs) {
  return esp::grad(f)(s, xs);
}
