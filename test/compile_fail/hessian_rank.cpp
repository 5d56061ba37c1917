// SPDX-License-Identifier: BSL-1.0
// expect: hessian\(f\)\(x...\): the axes of two arguments together are more than 6; reshape x
#include <espalier/eager/hessian.hpp>
#include <espalier.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;
using Net = nn::Linear<4, 3>;
using Input = esp::tensor<float, esp::shape<8, 4>>;

inline constexpr auto energy = [](auto a) { return sum(a * a); };

#ifdef SHOULD_FAIL
using Input4 = esp::tensor<float, esp::shape<2, 2, 2, 2>>;
#else
using Input4 = esp::tensor<float, esp::shape<2, 2, 4>>;
#endif
auto f(Input4 const& a) { return esp::hessian(energy)(a); }
