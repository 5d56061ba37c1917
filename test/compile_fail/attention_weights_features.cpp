// SPDX-License-Identifier: BSL-1.0
// expect: attention_weights\(q, k\): q is \(..., heads, queries, features\), k \(..., key heads, keys, features\)
// expect: attends<(espalier::)?shape<4, 5, 8>, (espalier::)?shape<4, 5, 6>
#include <espalier/operation/operation.hpp>
#include <espalier/storage/tensor.hpp>

using espalier::shape;
using espalier::tensor;

#ifdef SHOULD_FAIL
constexpr int features = 6;
#else
constexpr int features = 8;
#endif
auto f(tensor<float, shape<4, 5, 8>> const& q, tensor<float, shape<4, 5, features>> const& k) {
  return attention_weights(q, k);
}
