// SPDX-License-Identifier: BSL-1.0
// expect: scatter_add<axis>\(x, index, source\): an index is a tensor of std::int32_t
// expect: integer_index<float>
#include <espalier/operation/operation.hpp>
#include <espalier/storage/tensor.hpp>

using espalier::shape;
using espalier::tensor;
using table = tensor<float, shape<4, 8>>;

#ifdef SHOULD_FAIL
auto f(table const& x, tensor<float, shape<4, 8>> const& i) { return scatter_add<0>(x, i, x); }
#else
auto f(table const& x, tensor<std::int32_t, shape<4, 8>> const& i) { return scatter_add<0>(x, i, x); }
#endif
