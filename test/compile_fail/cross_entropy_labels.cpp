// SPDX-License-Identifier: BSL-1.0
// expect: cross_entropy\(z, labels\): labels must have the shape of the scores without axis 1
// expect: one_label_a_place<(espalier::)?shape<32, 10>, (espalier::)?shape<31> ?>
// expect-early: shape<32, 10>
// expect-early: shape<31>
// expect-26: which holds the classes; z is \(32, 10\), labels are \(31\)
#include <espalier/operation/operation.hpp>
#include <espalier/storage/tensor.hpp>

using espalier::shape;
using espalier::tensor;

#ifdef SHOULD_FAIL
auto f(tensor<float, shape<32, 10>> const& z, tensor<std::int32_t, shape<31>> const& labels) {
  return cross_entropy(z, labels);
}
#else
auto f(tensor<float, shape<32, 10>> const& z, tensor<std::int32_t, shape<32>> const& labels) {
  return cross_entropy(z, labels);
}
#endif
