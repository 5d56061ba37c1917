// SPDX-License-Identifier: BSL-1.0
// expect: scaled_dot_product_attention\(q, k, v\): the heads of q must be a multiple of the heads of k and v
// expect: query_heads<6>
// expect: key_heads<4>
// expect-26: of k and v; got query heads 6 and key heads 4
#include <espalier/operation/operation.hpp>
#include <espalier/storage/tensor.hpp>

using espalier::shape;
using espalier::tensor;

#ifdef SHOULD_FAIL
constexpr int key_heads = 4;
#else
constexpr int key_heads = 3;
#endif
auto f(tensor<float, shape<2, 6, 5, 8>> const& q, tensor<float, shape<2, key_heads, 5, 8>> const& k) {
  return scaled_dot_product_attention<{.causal = true}>(q, k, k);
}
