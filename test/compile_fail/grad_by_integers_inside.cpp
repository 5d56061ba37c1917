// SPDX-License-Identifier: BSL-1.0
// expect: grad\(f\)\(x...\): f calls grad, vmap, scan, checkpoint, parameter_of or a similar function with arguments that do not fit
// expect: requested_gradient<1, espalier::traced<espalier::shape<3>, int
#include <espalier/eager/gradient.hpp>
#include <espalier/operation/operation.hpp>

namespace esp = espalier;

#ifdef SHOULD_FAIL
inline constexpr int argument = 1;
#else
inline constexpr int argument = 0;
#endif

inline constexpr auto chosen = [](auto x, auto labels) { return sum(square(pick(x, labels))); };
inline constexpr auto penalty = [](auto x, auto labels) { return sum(square(esp::grad<argument>(chosen)(x, labels))); };
auto f(esp::tensor<float, esp::shape<3, 4>> const& x, esp::tensor<std::int32_t, esp::shape<3>> const& labels) {
  return esp::grad<0>(penalty)(x, labels);
}
