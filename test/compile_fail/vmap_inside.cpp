// SPDX-License-Identifier: BSL-1.0
// expect: f calls grad, vmap, scan, checkpoint, parameter_of or a similar function with arguments that do not fit
// expect: equal_samples<(espalier::)?shape<3>, (espalier::)?shape<4> ?>
#include <espalier/eager/vmap.hpp>
#include <espalier.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;

inline constexpr auto product = [](auto a, auto b) { return a * b; };
inline constexpr auto total = [](auto a, auto b) { return sum(esp::vmap(product)(a, b)); };
using Vector = esp::tensor<float, esp::shape<3>>;
using Longer = esp::tensor<float, esp::shape<4>>;

#ifdef SHOULD_FAIL
auto f(Vector const& a, Longer const& b) { return esp::grad<0>(total)(a, b); }
#else
auto f(Vector const& a, Vector const& b) { return esp::grad<0>(total)(a, b); }
#endif
