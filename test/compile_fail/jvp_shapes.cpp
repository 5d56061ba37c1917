// SPDX-License-Identifier: BSL-1.0
// expect: jvp, hvp, jacobian, hessian: the shapes inside f do not fit
// lines: 10
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
auto f(Vector const& a, Other const& b) { return esp::jvp(energy)(a, b)(a, b); }
#else
auto f(Vector const& a, Vector const& b) { return esp::jvp(energy)(a, b)(a, b); }
#endif
