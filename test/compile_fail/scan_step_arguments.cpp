// SPDX-License-Identifier: BSL-1.0
// expect: f calls grad, vmap, scan, checkpoint, parameter_of or a similar function with arguments that do not fit
// expect: step_takes<
// expect-26: the step is called with
#include <espalier.hpp>

namespace esp = espalier;

inline constexpr auto f = [](auto s, auto xs) {
#ifdef SHOULD_FAIL
  return std::get<0>(esp::scan([](auto a, auto b, auto x) { return std::tuple{a + x, b}; }, s, xs));
#else
  return std::get<0>(esp::scan([](auto a, auto x) { return std::tuple{a + x, a}; }, s, xs));
#endif
};
auto g(esp::tensor<float, esp::shape<>> const& s, esp::tensor<float, esp::shape<5>> const& xs) {
  return esp::grad(f)(s, xs);
}
