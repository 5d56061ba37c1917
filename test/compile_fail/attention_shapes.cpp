// SPDX-License-Identifier: BSL-1.0
// expect: scaled_dot_product_attention\(q, k, v\): q is \(..., heads, queries, features\), k \(..., key heads, keys, features\)
// expect: attends<(espalier::)?shape<2, 4, 5, 8>, (espalier::)?shape<2, 4, 6, 8>, (espalier::)?shape<2, 4, 5, 8> ?>
// expect-26: batch axes must be equal; q is \(2, 4, 5, 8\), k is \(2, 4, 6, 8\), v is \(2, 4, 5, 8\)
#include <espalier/operation/operation.hpp>
#include <espalier/storage/tensor.hpp>

using espalier::shape;
using espalier::tensor;

#ifdef SHOULD_FAIL
constexpr int keys = 5;  // of v; k has 6
#else
constexpr int keys = 6;
#endif
auto f(tensor<float, shape<2, 4, 5, 8>> const& q, tensor<float, shape<2, 4, 6, 8>> const& k,
       tensor<float, shape<2, 4, keys, 8>> const& v) {
  return scaled_dot_product_attention(q, k, v);
}
