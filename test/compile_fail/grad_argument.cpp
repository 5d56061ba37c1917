// SPDX-License-Identifier: BSL-1.0
// expect: grad<I...>\(f\)\(x...\): there is no argument I
// expect-early: arguments_exist<2
#include <espalier/eager/gradient.hpp>
#include <espalier/operation/operation.hpp>

namespace esp = espalier;

#ifdef SHOULD_FAIL
inline constexpr int which = 2;
#else
inline constexpr int which = 1;
#endif

inline constexpr auto energy = [](auto a, auto b) { return sum(a * b); };
auto f(esp::tensor<float, esp::shape<2, 3>> const& a, esp::tensor<float, esp::shape<2, 3>> const& b) {
  return esp::grad<which>(energy)(a, b);
}
