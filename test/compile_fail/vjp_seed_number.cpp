// SPDX-License-Identifier: BSL-1.0
// expect: vjp\(f\)\(x...\)\(dy\): dy must have the shape of f\(x...\)
// expect: number_is_cotangent<(espalier::)?shape<2> ?>
#include <espalier/eager/gradient.hpp>
#include <espalier/operation/operation.hpp>

namespace esp = espalier;

#ifdef SHOULD_FAIL
inline constexpr auto f = [](auto a) { return sum<1>(a * a); };
#else
inline constexpr auto f = [](auto a) { return sum(a * a); };
#endif
auto gradient(esp::tensor<float, esp::shape<2, 3>> const& a) { return esp::vjp(f)(a)(1.0f); }
