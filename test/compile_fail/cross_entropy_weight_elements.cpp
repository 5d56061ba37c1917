// SPDX-License-Identifier: BSL-1.0
// expect: cross_entropy\(., labels, weight\): operands mix float and double
// expect-early: same_element<float, .*double ?>
#include <espalier/operation/operation.hpp>
#include <espalier/storage/tensor.hpp>

using espalier::shape;
using espalier::tensor;

#ifdef SHOULD_FAIL
auto f(tensor<float, shape<32, 10>> const& x, tensor<std::int32_t, shape<32>> const& labels,
       tensor<double, shape<10>> const& weight) {
  return cross_entropy(x, labels, weight);
}
#else
auto f(tensor<float, shape<32, 10>> const& x, tensor<std::int32_t, shape<32>> const& labels,
       tensor<float, shape<10>> const& weight) {
  return cross_entropy(x, labels, weight);
}
#endif
