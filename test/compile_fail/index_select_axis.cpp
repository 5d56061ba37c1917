// SPDX-License-Identifier: BSL-1.0
// expect: index_select<axis>\(x, index\): x has no such axis, or the result has more than 6 axes
// expect: selectable<(espalier::)?shape<4, 8>, (espalier::)?shape<3>, (espalier::)?along<2> ?>
// expect-early: shape<4, 8>
#include <espalier/operation/operation.hpp>
#include <espalier/storage/tensor.hpp>

using espalier::shape;
using espalier::tensor;

#ifdef SHOULD_FAIL
auto f(tensor<float, shape<4, 8>> const& x, tensor<std::int32_t, shape<3>> const& i) { return index_select<2>(x, i); }
#else
auto f(tensor<float, shape<4, 8>> const& x, tensor<std::int32_t, shape<3>> const& i) { return index_select<1>(x, i); }
#endif
