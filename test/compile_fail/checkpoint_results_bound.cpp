// SPDX-License-Identifier: BSL-1.0
// expect: f calls grad, vmap, scan, checkpoint, parameter_of or a similar function with arguments that do not fit
// expect: block_returns_a_tensor<std::tuple<
// expect-26: the block returns \(
#include <espalier.hpp>

namespace esp = espalier;

inline constexpr auto block = [](auto s, auto xs) {
  return esp::scan([](auto state, auto x) { return std::tuple{state * x, state}; }, s, xs);
};
inline constexpr auto f = [](auto s, auto xs) {
#ifdef SHOULD_FAIL
  auto const [last, all] = esp::checkpoint(block, s, xs);
#else
  auto const [last, all] = block(s, xs);
#endif
  return sum(last) + sum(all);
};
auto g(esp::tensor<float, esp::shape<3>> const& s, esp::tensor<float, esp::shape<5, 3>> const& xs) {
  return esp::grad(f)(s, xs);
}
