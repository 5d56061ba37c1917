// SPDX-License-Identifier: BSL-1.0
// expect: scatter_add<axis>\(x, index, source\): all must have as many axes, and index no larger extent than source or, except along the axis, than x
// expect: scatterable<(espalier::)?shape<4, 8>, (espalier::)?shape<6, 8>, (espalier::)?shape<5, 8>, (espalier::)?along<0> ?>
// expect-early: shape<4, 8>
// expect-early: shape<6, 8>
// expect-early: shape<5, 8>
#include <espalier/operation/operation.hpp>
#include <espalier/storage/tensor.hpp>

using espalier::shape;
using espalier::tensor;
using places = tensor<std::int32_t, shape<6, 8>>;

#ifdef SHOULD_FAIL
auto f(tensor<float, shape<4, 8>> const& x, places const& i, tensor<float, shape<5, 8>> const& source) {
  return scatter_add<0>(x, i, source);
}
#else
auto f(tensor<float, shape<4, 8>> const& x, places const& i, tensor<float, shape<6, 8>> const& source) {
  return scatter_add<0>(x, i, source);
}
#endif
