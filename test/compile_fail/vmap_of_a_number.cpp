// SPDX-License-Identifier: BSL-1.0
// expect: vmap\(f\)\(x...\): arguments are tensors, views or models
#include <espalier/eager/vmap.hpp>
#include <espalier.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;

inline constexpr auto size = [](auto x) { return sum(x * x); };
using Rows = esp::tensor<float, esp::shape<8, 3>>;

#ifdef SHOULD_FAIL
auto f(Rows const&) { return esp::vmap(size)(3.0f); }
#else
auto f(Rows const& x) { return esp::vmap(size)(x); }
#endif
