// SPDX-License-Identifier: BSL-1.0
// expect: jacobian\(f\)\(x...\): f must return one value, not several
// lines: 10
#include <espalier/eager/jacobian.hpp>
#include <espalier.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;
using Net = nn::Linear<4, 3>;
using Input = esp::tensor<float, esp::shape<8, 4>>;

using Vector = esp::tensor<float, esp::shape<3>>;

#ifdef SHOULD_FAIL
inline constexpr auto two = [](auto a) { return std::tuple{a * a, a}; };
#else
inline constexpr auto two = [](auto a) { return a * a; };
#endif
auto f(Vector const& a) { return esp::jacobian(two)(a); }
