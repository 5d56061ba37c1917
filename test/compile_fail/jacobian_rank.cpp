// SPDX-License-Identifier: BSL-1.0
// expect: jacobian\(f\)\(x...\): the axes of f\(x...\) and of x together are more than 6; reshape one of them
#include <espalier/eager/jacobian.hpp>
#include <espalier.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;
using Net = nn::Linear<4, 3>;
using Input = esp::tensor<float, esp::shape<8, 4>>;

inline constexpr auto twice = [](auto a) { return a * 2; };

#ifdef SHOULD_FAIL
using Input4 = esp::tensor<float, esp::shape<2, 2, 2, 2>>;
#else
using Input4 = esp::tensor<float, esp::shape<2, 2, 4>>;
#endif
auto f(Input4 const& a) { return esp::jacobian(twice)(a); }
