// SPDX-License-Identifier: BSL-1.0
// expect: the shapes inside f do not fit
// expect: shape_is<(espalier::)?shape<4>, (espalier::)?shape<3> ?>
#include <espalier/eager/jvp.hpp>
#include <espalier.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;
using Net = nn::Linear<4, 3>;
using Input = esp::tensor<float, esp::shape<8, 4>>;

inline constexpr auto energy = [](auto a, auto b) { return sum(a * b); };
using Vector = esp::tensor<float, esp::shape<3>>;
using Other = esp::tensor<float, esp::shape<4>>;
inline constexpr auto pushed = [](auto a, auto v) { return sum(esp::jvp<0>(energy)(a, a)(v)); };

#ifdef SHOULD_FAIL
auto f(Vector const& a, Other const& b) { return esp::grad<0>(pushed)(a, b); }
#else
auto f(Vector const& a, Vector const& b) { return esp::grad<0>(pushed)(a, b); }
#endif
