// SPDX-License-Identifier: BSL-1.0
// expect: f calls grad, vmap, scan, checkpoint, parameter_of or a similar function with arguments that do not fit
// expect: counted_steps<16777217>
// expect-26: a loop of 16777217 steps; a loop with a count has at most 16777216
#include <espalier.hpp>

namespace esp = espalier;

inline constexpr auto half = [](auto const& x) { return 0.5 * x; };
#ifdef SHOULD_FAIL
inline constexpr int most = 16777217;
#else
inline constexpr int most = 16777216;
#endif
inline constexpr auto f = [](auto s, auto count) { return sum(esp::repeat<most>(half, s, count)); };
auto g(esp::tensor<float, esp::shape<3>> const& s, esp::tensor<std::int32_t, esp::shape<>> const& count) {
  return esp::value_and_grad(f)(s, count).first;
}
