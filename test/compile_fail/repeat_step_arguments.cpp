// SPDX-License-Identifier: BSL-1.0
// expect: f calls grad, vmap, scan, checkpoint, parameter_of or a similar function with arguments that do not fit
// expect: step_takes<
#include <espalier.hpp>

namespace esp = espalier;

inline constexpr auto f = [](auto s, auto xs) {
#ifdef SHOULD_FAIL
  return sum(xs) * esp::repeat<3>([](auto a, auto x) { return a * x; }, s);
#else
  return sum(xs) * esp::repeat<3>([](auto a) { return a * a; }, s);
#endif
};
auto g(esp::tensor<float, esp::shape<>> const& s, esp::tensor<float, esp::shape<5>> const& xs) {
  return esp::grad(f)(s, xs);
}
