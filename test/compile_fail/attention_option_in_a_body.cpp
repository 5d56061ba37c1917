// SPDX-License-Identifier: BSL-1.0
// expect: f calls grad, vmap, scan, checkpoint, parameter_of or a similar function with arguments that do not fit
// expect: mask_is_a_tensor<bool>
// expect-26: the mask is bool
#include <espalier.hpp>

namespace esp = espalier;

#ifdef SHOULD_FAIL
inline constexpr auto f = [](auto q) { return sum(scaled_dot_product_attention(q, q, q, true)); };
#else
inline constexpr auto f = [](auto q) { return sum(esp::scaled_dot_product_attention<{.causal = true}>(q, q, q)); };
#endif
auto g(esp::tensor<float, esp::shape<2, 4, 6, 8>> const& q) { return esp::grad(f)(q); }
