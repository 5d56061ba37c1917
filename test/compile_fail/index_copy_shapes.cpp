// SPDX-License-Identifier: BSL-1.0
// expect: index_copy<axis>\(x, index, source\): index has one axis, and source has the shape of x with one slice for each index
// expect: copyable<(espalier::)?shape<8, 4>, (espalier::)?shape<1>, (espalier::)?shape<4>, (espalier::)?along<0> ?>
// expect-early: shape<8, 4>
#include <espalier/operation/operation.hpp>
#include <espalier/storage/tensor.hpp>

using espalier::shape;
using espalier::tensor;
using place = tensor<std::int32_t, shape<1>>;

#ifdef SHOULD_FAIL
auto f(tensor<float, shape<8, 4>> const& x, place const& i, tensor<float, shape<4>> const& source) {
  return index_copy<0>(x, i, source);
}
#else
auto f(tensor<float, shape<8, 4>> const& x, place const& i, tensor<float, shape<1, 4>> const& source) {
  return index_copy<0>(x, i, source);
}
#endif
