// SPDX-License-Identifier: BSL-1.0
// expect: hvp\(f\)\(x...\), hessian: f must return one number; reduce its result with sum or mean, or use jvp or jacobian
// lines: 10
#include <espalier/eager/hvp.hpp>
#include <espalier.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;
using Net = nn::Linear<4, 3>;
using Input = esp::tensor<float, esp::shape<8, 4>>;

using Vector = esp::tensor<float, esp::shape<3>>;

#ifdef SHOULD_FAIL
inline constexpr auto energy = [](auto a) { return a * a; };
#else
inline constexpr auto energy = [](auto a) { return sum(a * a); };
#endif
auto f(Vector const& a) { return esp::hvp(energy)(a)(a); }
