// SPDX-License-Identifier: BSL-1.0
// expect: f calls grad, vmap, scan, checkpoint, parameter_of or a similar function with arguments that do not fit
// expect: step_count<int>
// expect-26: the count is int32; expected an argument of one std::int32_t, of shape<> or shape<1>
#include <espalier.hpp>

namespace esp = espalier;

// A number that the compiler can see is the number of steps of repeat<N> itself.
inline constexpr auto half = [](auto const& x) { return 0.5 * x; };
#ifdef SHOULD_FAIL
inline constexpr auto f = [](auto s) { return sum(esp::repeat<4>(half, s, 3)); };
#else
inline constexpr auto f = [](auto s) { return sum(esp::repeat<3>(half, s)); };
#endif
auto g(esp::tensor<float, esp::shape<3>> const& s) { return esp::grad(f)(s); }
