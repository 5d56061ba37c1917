// SPDX-License-Identifier: BSL-1.0
// expect: grad\(f\)\(x...\): f calls grad, vmap, scan, checkpoint, parameter_of or a similar function with arguments that do not fit
// expect: has_differentiable_argument<false, espalier::tracing::held<espalier::traced<espalier::shape<3>
#include <espalier/eager/gradient.hpp>
#include <espalier/operation/operation.hpp>

namespace esp = espalier;

inline constexpr auto product = [](auto x, auto y) { return sum(x * x * y); };
#ifdef SHOULD_FAIL
inline constexpr auto penalty = [](auto x, auto y) {
  return sum(square(esp::grad(product)(esp::constant(x), constant(y))));
};
#else
inline constexpr auto penalty = [](auto x, auto y) { return sum(square(esp::grad(product)(x, constant(y)))); };
#endif
auto f(esp::tensor<float, esp::shape<3>> const& x) { return esp::grad<0>(penalty)(x, x); }
