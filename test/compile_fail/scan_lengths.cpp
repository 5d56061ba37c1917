// SPDX-License-Identifier: BSL-1.0
// expect: f calls grad, vmap, scan, checkpoint, parameter_of or a similar function with arguments that do not fit
// expect: sequence_lengths<
// expect-26: got \(5, 3\), \(6, 3\)
#include <espalier.hpp>

namespace esp = espalier;

#ifdef SHOULD_FAIL
using second = esp::shape<6, 3>;
#else
using second = esp::shape<5, 3>;
#endif
inline constexpr auto step = [](auto s, auto x) { return std::tuple{s + std::get<0>(x) * std::get<1>(x), s}; };
inline constexpr auto f = [](auto s, auto xs, auto ys) {
  return sum(std::get<0>(esp::scan(step, s, std::tuple{xs, ys})));
};
auto g(esp::tensor<float, esp::shape<3>> const& s, esp::tensor<float, esp::shape<5, 3>> const& xs,
       esp::tensor<float, second> const& ys) {
  return esp::grad(f)(s, xs, ys);
}
