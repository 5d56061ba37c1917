// SPDX-License-Identifier: BSL-1.0
// expect: scan\(step, state, xs\): the state or xs must be values of a body
// expect: loop_in_a_body<
// lines: 12
#include <espalier.hpp>

namespace esp = espalier;

inline constexpr auto step = [](auto s, auto x) { return std::tuple{tanh(s + x), s}; };
inline constexpr auto f = [](auto s, auto xs) { return std::get<0>(esp::scan(step, s, xs)); };
void g(esp::tensor<float, esp::shape<3>> const& s, esp::tensor<float, esp::shape<5, 3>> const& xs,
       esp::tensor<float, esp::shape<3>>& y) {
#ifdef SHOULD_FAIL
  y = f(s, xs);
#else
  esp::compiled run{f, s, xs};
  run(s, xs, y);
#endif
}
