// SPDX-License-Identifier: BSL-1.0
// expect: grad<I...>\(f\)\(x...\): argument I has no gradient: gradients are of float and double, not of integers, bool or constant\(x\)
// expect: requested_gradient<1, espalier::tensor<int, espalier::shape<3>
#include <espalier/eager/gradient.hpp>
#include <espalier/operation/operation.hpp>

namespace esp = espalier;

#ifdef SHOULD_FAIL
inline constexpr int argument = 1;
#else
inline constexpr int argument = 0;
#endif

inline constexpr auto chosen = [](auto x, auto labels) { return sum(pick(x, labels)); };
auto f(esp::tensor<float, esp::shape<3, 4>> const& x, esp::tensor<std::int32_t, esp::shape<3>> const& labels) {
  return esp::grad<argument>(chosen)(x, labels);
}
