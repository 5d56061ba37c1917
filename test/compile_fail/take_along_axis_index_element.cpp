// SPDX-License-Identifier: BSL-1.0
// expect: take_along_axis<axis>\(x, index\): an index is a tensor of std::int32_t
// expect: integer_index<bool>
#include <espalier/operation/operation.hpp>
#include <espalier/storage/tensor.hpp>

using espalier::shape;
using espalier::tensor;

#ifdef SHOULD_FAIL
auto f(tensor<float, shape<4, 8>> const& x, tensor<bool, shape<4, 3>> const& i) { return take_along_axis<1>(x, i); }
#else
auto f(tensor<float, shape<4, 8>> const& x, tensor<std::int32_t, shape<4, 3>> const& i) {
  return take_along_axis<1>(x, i);
}
#endif
