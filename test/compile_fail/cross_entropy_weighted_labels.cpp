// SPDX-License-Identifier: BSL-1.0
// expect: cross_entropy\(z, labels, weight\): labels must have the shape of the scores without axis 1
// expect-early: shape<32, 10>
// expect-early: shape<31>
#include <espalier/operation/operation.hpp>
#include <espalier/storage/tensor.hpp>

using espalier::shape;
using espalier::tensor;

#ifdef SHOULD_FAIL
auto f(tensor<float, shape<32, 10>> const& x, tensor<std::int32_t, shape<31>> const& labels,
       tensor<float, shape<10>> const& weight) {
  return cross_entropy(x, labels, weight);
}
#else
auto f(tensor<float, shape<32, 10>> const& x, tensor<std::int32_t, shape<32>> const& labels,
       tensor<float, shape<10>> const& weight) {
  return cross_entropy(x, labels, weight);
}
#endif
