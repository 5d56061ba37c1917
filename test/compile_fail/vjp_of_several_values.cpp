// SPDX-License-Identifier: BSL-1.0
// expect: vjp\(f\)\(x...\): f must return one value, not several
#include <espalier/eager/gradient.hpp>
#include <espalier.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;
using Net = nn::Linear<4, 3>;
using Input = esp::tensor<float, esp::shape<8, 4>>;

#ifdef SHOULD_FAIL
inline constexpr auto two = [](auto x) { return std::tuple{x, x * 2}; };
#else
inline constexpr auto two = [](auto x) { return x * 2; };
#endif
auto f(Input const& x) { return esp::vjp(two)(x)(x); }
