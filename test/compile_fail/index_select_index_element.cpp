// SPDX-License-Identifier: BSL-1.0
// expect: index_select<axis>\(x, index\): an index is a tensor of std::int32_t
// expect: integer_index<double>
#include <espalier/operation/operation.hpp>
#include <espalier/storage/tensor.hpp>

using espalier::shape;
using espalier::tensor;

#ifdef SHOULD_FAIL
auto f(tensor<double, shape<4, 8>> const& x, tensor<double, shape<3>> const& i) { return index_select<0>(x, i); }
#else
auto f(tensor<double, shape<4, 8>> const& x, tensor<std::int32_t, shape<3>> const& i) { return index_select<0>(x, i); }
#endif
