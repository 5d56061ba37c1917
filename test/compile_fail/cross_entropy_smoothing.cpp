// SPDX-License-Identifier: BSL-1.0
// expect: label_loss\{.label_smoothing = e\}: e must be in \[0, 1\)
// expect-early: label_smoothing
#include <espalier/operation/operation.hpp>
#include <espalier/storage/tensor.hpp>

using espalier::shape;
using espalier::tensor;

#ifdef SHOULD_FAIL
auto f(tensor<float, shape<32, 10>> const& z, tensor<std::int32_t, shape<32>> const& labels) {
  return cross_entropy<espalier::label_loss{.label_smoothing = 1}>(z, labels);
}
#else
auto f(tensor<float, shape<32, 10>> const& z, tensor<std::int32_t, shape<32>> const& labels) {
  return cross_entropy<espalier::label_loss{.label_smoothing = 0.5}>(z, labels);
}
#endif
