// SPDX-License-Identifier: BSL-1.0
// expect: there is no argument I
// expect: arguments_exist<1, 1>
#include <espalier/eager/vmap.hpp>
#include <espalier.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;

using Rows = esp::tensor<float, esp::shape<8, 3>>;
inline constexpr auto size = [](auto x) { return sum(x * x); };

#ifdef SHOULD_FAIL
auto f(Rows const& x) { return esp::vmap<1>(size)(x); }
#else
auto f(Rows const& x) { return esp::vmap<0>(size)(x); }
#endif
