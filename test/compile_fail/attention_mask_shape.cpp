// SPDX-License-Identifier: BSL-1.0
// expect: scaled_dot_product_attention\(q, k, v, mask\): the mask must broadcast to \(..., heads, queries, keys\)
// expect: mask_covers<(espalier::)?shape<2, 7>, (espalier::)?shape<2, 4, 5, 7> ?>
// expect-26: queries, keys\); the mask is \(2, 7\), the scores are \(2, 4, 5, 7\)
#include <espalier/operation/operation.hpp>
#include <espalier/storage/tensor.hpp>

using espalier::shape;
using espalier::tensor;

#ifdef SHOULD_FAIL
using padding = shape<2, 7>;  // one row a batch, which aligns with the queries
#else
using padding = shape<2, 1, 1, 7>;
#endif
auto f(tensor<float, shape<2, 4, 5, 8>> const& q, tensor<float, shape<2, 4, 7, 8>> const& k,
       tensor<float, padding> const& mask) {
  return scaled_dot_product_attention(q, k, k, mask);
}
