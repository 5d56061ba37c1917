// SPDX-License-Identifier: BSL-1.0
// expect: the mask is a tensor; options are template arguments: scaled_dot_product_attention<\{\.causal = true\}>\(q, k, v\)
// expect-early: mask_is_a_tensor<bool>
#include <espalier.hpp>

namespace esp = espalier;
using values = esp::tensor<float, esp::shape<2, 4, 6, 8>>;

values f(values const& q, values const& k, values const& v) {
#ifdef SHOULD_FAIL
  return scaled_dot_product_attention(q, k, v, true);
#else
  return esp::scaled_dot_product_attention<{.causal = true}>(q, k, v);
#endif
}
