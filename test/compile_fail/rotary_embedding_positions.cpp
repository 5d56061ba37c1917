// SPDX-License-Identifier: BSL-1.0
// expect: rotary_embedding\(x, positions\): positions has one element for each row of x
// expect: one_position_a_row<(espalier::)?shape<2, 4, 8>, (espalier::)?shape<2> ?>
// expect-26: each row of x; x is \(2, 4, 8\), positions is \(2\)
#include <espalier/operation/operation.hpp>
#include <espalier/storage/tensor.hpp>

using espalier::shape;
using espalier::tensor;

#ifdef SHOULD_FAIL
constexpr int positions = 2;
#else
constexpr int positions = 4;
#endif
auto f(tensor<float, shape<2, 4, 8>> const& x, tensor<float, shape<positions>> const& at) {
  return rotary_embedding(x, at);
}
