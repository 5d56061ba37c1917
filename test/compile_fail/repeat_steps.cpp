// SPDX-License-Identifier: BSL-1.0
// expect: f calls grad, vmap, scan, checkpoint, parameter_of or a similar function with arguments that do not fit
// expect: repeated_steps<0>
// expect-26: the number of steps is 1 to 1073741823
#include <espalier.hpp>

namespace esp = espalier;

#ifdef SHOULD_FAIL
inline constexpr int steps = 0;
#else
inline constexpr int steps = 4;
#endif
inline constexpr auto f = [](auto x) { return sum(esp::repeat<steps>([](auto s) { return tanh(s); }, x)); };
auto g(esp::tensor<float, esp::shape<3>> const& x) { return esp::grad(f)(x); }
