// SPDX-License-Identifier: BSL-1.0
// expect: scan\(step, state, xs\), repeat<N>\(step, state\): a value of the step is assigned to a variable outside
// lines: 12
#include <espalier.hpp>

namespace esp = espalier;

inline constexpr auto f = [](auto start, auto xs) {
  auto outside = esp::sum(xs) * 1.0f;
  auto const step = [&](auto const& state, auto const& x) {
#ifdef SHOULD_FAIL
    outside = esp::sum(x);
#endif
    return std::tuple{state + x, std::tuple{}};
  };
  auto const last = std::get<0>(esp::scan(step, start, xs));
  return last * outside;
};
using row = esp::tensor<float, esp::shape<3>>;
void g(row const& start, esp::tensor<float, esp::shape<5, 3>> const& xs, row& y) {
  esp::compiled run{f, start, xs};
  run(start, xs, y);
}
