// SPDX-License-Identifier: BSL-1.0
// expect: matmul\(a, b\): both need at least two axes
// expect: matrix_axes<(espalier::)?shape<8, 13>, (espalier::)?shape<13> ?>
// expect-early: shape<8, 13>
// expect-early: shape<13>
#include <espalier/operation/operation.hpp>
#include <espalier/storage/tensor.hpp>

using espalier::shape;
using espalier::tensor;

#ifdef SHOULD_FAIL
auto f(tensor<float, shape<8, 13>> const& a, tensor<float, shape<13>> const& b) { return matmul(a, b); }
#else
auto f(tensor<float, shape<8, 13>> const& a, tensor<float, shape<13>> const& b) { return matmul(a, reshape<13, 1>(b)); }
#endif
