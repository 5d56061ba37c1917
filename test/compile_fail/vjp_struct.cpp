// SPDX-License-Identifier: BSL-1.0
// expect: vjp\(f\)\(x...\)\(dy\): dy must be a struct like the one that f returns
// expect: struct_is<
#include <espalier/eager/gradient.hpp>
#include <espalier/operation/operation.hpp>

namespace esp = espalier;
using vector = esp::tensor<double, esp::shape<3>>;

inline constexpr auto twice = [](auto x) { return std::pair{x, 2 * x}; };

auto f(vector const& x) {
#ifdef SHOULD_FAIL
  return esp::vjp(twice)(x)(x);
#else
  return esp::vjp(twice)(x)(std::pair{x, x});
#endif
}
