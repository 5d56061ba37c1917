// SPDX-License-Identifier: BSL-1.0
// expect: the leading axes of the mapped arguments must have the same extent
// expect: equal_samples<(espalier::)?shape<8, 3>, (espalier::)?shape<7, 3> ?>
#include <espalier/eager/vmap.hpp>
#include <espalier.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;

inline constexpr auto energy = [](auto a, auto b) { return sum(a * b); };
using Rows = esp::tensor<float, esp::shape<8, 3>>;
using Fewer = esp::tensor<float, esp::shape<7, 3>>;

#ifdef SHOULD_FAIL
auto f(Rows const& a, Fewer const& b) { return esp::vmap(energy)(a, b); }
#else
auto f(Rows const& a, Rows const& b) { return esp::vmap(energy)(a, b); }
#endif
