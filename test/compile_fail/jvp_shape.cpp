// SPDX-License-Identifier: BSL-1.0
// expect: a direction must have the shape of its argument
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

#ifdef SHOULD_FAIL
auto f(Vector const& a, Vector const& b, Other const& v) { return esp::jvp<0>(energy)(a, b)(v); }
#else
auto f(Vector const& a, Vector const& b, Vector const& v) { return esp::jvp<0>(energy)(a, b)(v); }
#endif
