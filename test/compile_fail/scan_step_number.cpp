// SPDX-License-Identifier: BSL-1.0
// expect: f calls grad, vmap, scan, checkpoint, parameter_of or a similar function with arguments that do not fit
// expect: step_returns_values<int>
// expect-26: the step returns int32; expected values, such as zeros<shape<>>\(x\) for a number
#include <espalier.hpp>

namespace esp = espalier;

#ifdef SHOULD_FAIL
inline constexpr auto step = [](auto s, auto x) { return std::tuple{s + x, 0}; };
#else
inline constexpr auto step = [](auto s, auto x) { return std::tuple{s + x, std::tuple{}}; };
#endif
inline constexpr auto f = [](auto s, auto xs) {
  auto const [last, all] = esp::scan(step, s, xs);
  return sum(last);
};
auto g(esp::tensor<float, esp::shape<3>> const& s, esp::tensor<float, esp::shape<5, 3>> const& xs) {
  return esp::grad(f)(s, xs);
}
