// SPDX-License-Identifier: BSL-1.0
// expect: f calls grad, vmap, scan, checkpoint, parameter_of or a similar function with arguments that do not fit
// expect: state_keeps_its_members<
#include <espalier.hpp>

namespace esp = espalier;

#ifdef SHOULD_FAIL
inline constexpr auto step = [](auto s, auto x) { return std::tuple{std::tuple{std::get<0>(s) + x}, x}; };
#else
inline constexpr auto step = [](auto s, auto x) { return std::tuple{std::tuple{std::get<0>(s) + x, x}, x}; };
#endif
inline constexpr auto f = [](auto s, auto xs) {
  return sum(std::get<0>(std::get<0>(esp::scan(step, std::tuple{s, s}, xs))));
};
auto g(esp::tensor<float, esp::shape<3>> const& s, esp::tensor<float, esp::shape<5, 3>> const& xs) {
  return esp::grad(f)(s, xs);
}
