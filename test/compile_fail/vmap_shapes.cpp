// SPDX-License-Identifier: BSL-1.0
// expect: vmap\(f\)\(x...\): the shapes inside f do not fit
// expect: same_or_broadcast<(espalier::)?shape<3>, (espalier::)?shape<4> ?>
#include <espalier/eager/vmap.hpp>
#include <espalier.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;

inline constexpr auto energy = [](auto a, auto b) { return sum(a * b); };
using Rows = esp::tensor<float, esp::shape<8, 3>>;
using Wider = esp::tensor<float, esp::shape<8, 4>>;

#ifdef SHOULD_FAIL
auto f(Rows const& a, Wider const& b) { return esp::vmap(energy)(a, b); }
#else
auto f(Rows const& a, Rows const& b) { return esp::vmap(energy)(a, b); }
#endif
