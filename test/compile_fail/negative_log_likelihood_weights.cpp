// SPDX-License-Identifier: BSL-1.0
// expect: negative_log_likelihood\(x, labels, weight\): there must be one weight for each class on axis 1
// expect: one_weight_a_class<(espalier::)?shape<32, 10>, (espalier::)?shape<9> ?>
// expect-early: shape<32, 10>
// expect-early: shape<9>
#include <espalier/operation/operation.hpp>
#include <espalier/storage/tensor.hpp>

using espalier::shape;
using espalier::tensor;

#ifdef SHOULD_FAIL
auto f(tensor<float, shape<32, 10>> const& x, tensor<std::int32_t, shape<32>> const& labels,
       tensor<float, shape<9>> const& weight) {
  return negative_log_likelihood(x, labels, weight);
}
#else
auto f(tensor<float, shape<32, 10>> const& x, tensor<std::int32_t, shape<32>> const& labels,
       tensor<float, shape<10>> const& weight) {
  return negative_log_likelihood(x, labels, weight);
}
#endif
