// SPDX-License-Identifier: BSL-1.0
// expect: a mapped argument needs a leading axis, along which its samples are
// expect: leading_axes<(espalier::)?shape<8, 3>, (espalier::)?shape<> ?>
#include <espalier/eager/vmap.hpp>
#include <espalier.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;

inline constexpr auto scaled = [](auto x, auto scale) { return x * scale; };
using Rows = esp::tensor<float, esp::shape<8, 3>>;
using One = esp::tensor<float, esp::shape<>>;

#ifdef SHOULD_FAIL
auto f(Rows const& x, One const& scale) { return esp::vmap(scaled)(x, scale); }
#else
auto f(Rows const& x, One const& scale) { return esp::vmap<0>(scaled)(x, scale); }
#endif
