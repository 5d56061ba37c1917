// SPDX-License-Identifier: BSL-1.0
// expect: a value in a formula has no elements for a loop: write sum<Axis>\(x\) or another reduction
// lines: 10
#include <espalier.hpp>

namespace esp = espalier;

inline constexpr auto total = [](auto x) {
  auto y = sum(x);
#ifdef SHOULD_FAIL
  for (auto element : x) element += 1, y = y + element;
#endif
  return y;
};
using Value = esp::traced<esp::shape<3>>;  // grad and compiled call the function with such a value
using Total = decltype(total(Value{}));
