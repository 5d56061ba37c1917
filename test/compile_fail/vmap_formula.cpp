// SPDX-License-Identifier: BSL-1.0
// expect: x is a formula of tensors; pass evaluate\(x\)
#include <espalier/eager/vmap.hpp>
#include <espalier.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;

using Rows = esp::tensor<float, esp::shape<8, 3>>;
inline constexpr auto size = [](auto x) { return sum(x * x); };

#ifdef SHOULD_FAIL
auto f(Rows const& x) { return esp::vmap(size)(x + 1); }
#else
auto f(Rows const& x) { return esp::vmap(size)(esp::evaluate(x + 1)); }
#endif
