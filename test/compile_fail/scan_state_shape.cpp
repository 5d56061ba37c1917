// SPDX-License-Identifier: BSL-1.0
// expect: f calls grad, vmap, scan, checkpoint, parameter_of or a similar function with arguments that do not fit
// expect: state_keeps_its_shape<
// expect-26: the next state has shape \(2, 4\), the state \(2, 3\)
#include <espalier.hpp>

namespace esp = espalier;

#ifdef SHOULD_FAIL
inline constexpr auto step = [](auto s, auto x) { return std::tuple{concatenate<1>(s, esp::slice<1, 0, 1>(x)), x}; };
#else
inline constexpr auto step = [](auto s, auto x) { return std::tuple{s + x, x}; };
#endif
inline constexpr auto f = [](auto s, auto xs) { return sum(std::get<0>(esp::scan(step, s, xs))); };
auto g(esp::tensor<float, esp::shape<2, 3>> const& s, esp::tensor<float, esp::shape<5, 2, 3>> const& xs) {
  return esp::grad(f)(s, xs);
}
