// SPDX-License-Identifier: BSL-1.0
// expect: f calls grad, vmap, scan, checkpoint, parameter_of or a similar function with arguments that do not fit
// expect: state_keeps_its_members<
// expect-26: the next state is
#include <espalier.hpp>

namespace esp = espalier;

inline constexpr auto step = [](auto const& s, auto x) {
  auto const& [h, c] = s;
#ifdef SHOULD_FAIL
  return std::tuple{h + x, std::tuple{c, x}};
#else
  return std::tuple{std::tuple{h + x, c}, std::tuple{c, x}};
#endif
};
inline constexpr auto f = [](auto s, auto xs) {
  auto const [last, all] = esp::scan(step, std::tuple{s, s}, xs);
  auto const [h, c] = last;
  auto const [cs, hs] = all;
  return sum(h) + sum(c) + sum(cs) + sum(hs);
};
auto g(esp::tensor<float, esp::shape<3>> const& s, esp::tensor<float, esp::shape<5, 3>> const& xs) {
  return esp::grad(f)(s, xs);
}
