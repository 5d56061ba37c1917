// SPDX-License-Identifier: BSL-1.0
// expect: negative_log_likelihood\(x, labels\): labels must have the shape of the scores without axis 1
// expect: one_label_a_place<(espalier::)?shape<32, 10, 4>, (espalier::)?shape<32> ?>
// expect-early: shape<32, 10, 4>
// expect-early: shape<32>
#include <espalier/operation/operation.hpp>
#include <espalier/storage/tensor.hpp>

using espalier::shape;
using espalier::tensor;

#ifdef SHOULD_FAIL
auto f(tensor<float, shape<32, 10, 4>> const& x, tensor<std::int32_t, shape<32>> const& labels) {
  return negative_log_likelihood(x, labels);
}
#else
auto f(tensor<float, shape<32, 10, 4>> const& x, tensor<std::int32_t, shape<32, 4>> const& labels) {
  return negative_log_likelihood(x, labels);
}
#endif
