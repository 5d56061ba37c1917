// SPDX-License-Identifier: BSL-1.0
// expect: index_copy<axis>\(x, index, source\): an index is a tensor of std::int32_t
// expect: integer_index<float>
// expect-26: the index has elements of float
#include <espalier/operation/operation.hpp>
#include <espalier/storage/tensor.hpp>

using espalier::shape;
using espalier::tensor;

#ifdef SHOULD_FAIL
using place = tensor<float, shape<1>>;
#else
using place = tensor<std::int32_t, shape<1>>;
#endif
auto f(tensor<float, shape<8, 4>> const& x, place const& i, tensor<float, shape<1, 4>> const& source) {
  return index_copy<0>(x, i, source);
}
