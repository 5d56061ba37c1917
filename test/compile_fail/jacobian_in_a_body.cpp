// SPDX-License-Identifier: BSL-1.0
// expect: f calls grad, vmap, scan, checkpoint, parameter_of or a similar function with arguments that do not fit; hessian and jacobian belong outside of f
// expect: called_outside<
// net: espalier::nn::Linear<4, [35](, espalier::nn::with_bias)?>
#include <espalier/eager/jacobian.hpp>
#include <espalier.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;
using Net = nn::Linear<4, 3>;
using Input = esp::tensor<float, esp::shape<8, 4>>;

using Vector = esp::tensor<float, esp::shape<3>>;

#ifdef SHOULD_FAIL
inline constexpr auto size = [](auto a) { return sum(esp::jacobian([](auto x) { return x * x; })(a)); };
#else
inline constexpr auto size = [](auto a) { return sum(esp::vjp([](auto x) { return x * x; })(a)(a)); };
#endif
auto f(Vector const& a) { return esp::grad(size)(a); }
