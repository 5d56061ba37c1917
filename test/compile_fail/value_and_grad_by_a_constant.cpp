// SPDX-License-Identifier: BSL-1.0
// expect: value_and_grad<I...>\(f\)\(x...\): argument I has no gradient: gradients are of float and double, not of integers, bool or constant\(x\)
// expect: requested_gradient<1, espalier::constant_argument<
#include <espalier/eager/gradient.hpp>
#include <espalier/operation/operation.hpp>

namespace esp = espalier;

#ifdef SHOULD_FAIL
inline constexpr int argument = 1;
#else
inline constexpr int argument = 0;
#endif

inline constexpr auto product = [](auto x, auto y) { return sum(x * y); };
auto f(esp::tensor<float, esp::shape<3>> const& x, esp::tensor<float, esp::shape<3>> const& y) {
  return esp::value_and_grad<argument>(product)(x, esp::constant(y)).first;
}
