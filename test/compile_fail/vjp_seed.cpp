// SPDX-License-Identifier: BSL-1.0
// expect: vjp\(f\)\(x...\)\(dy\): dy must have the shape of f\(x...\)
// expect: shape_is<(espalier::)?shape<3>, (espalier::)?shape<2> ?>
// expect-early: shape<3>
// expect-early: shape<2>
#include <espalier/eager/gradient.hpp>
#include <espalier/operation/operation.hpp>

namespace esp = espalier;

#ifdef SHOULD_FAIL
using Seed = esp::tensor<float, esp::shape<3>>;
#else
using Seed = esp::tensor<float, esp::shape<2>>;
#endif

inline constexpr auto rows = [](auto a) { return sum<1>(a * a); };
auto f(esp::tensor<float, esp::shape<2, 3>> const& a, Seed const& dy) { return esp::vjp(rows)(a)(dy); }
