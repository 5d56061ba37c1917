// SPDX-License-Identifier: BSL-1.0
// expect: matmul\(a, b\): columns of a must equal rows of b
// expect: inner_dimensions<(espalier::)?shape<8, 13>, (espalier::)?shape<12, 16> ?>
// expect-early: shape<8, 13>
// expect-early: shape<12, 16>
// expect-26: columns of a must equal rows of b; a is \(8, 13\), b is \(12, 16\)
#include <espalier/operation/operation.hpp>
#include <espalier/storage/tensor.hpp>

using espalier::shape;
using espalier::tensor;

#ifdef SHOULD_FAIL
auto f(tensor<float, shape<8, 13>> const& a, tensor<float, shape<12, 16>> const& b) { return matmul(a, b); }
#else
auto f(tensor<float, shape<8, 13>> const& a, tensor<float, shape<13, 16>> const& b) { return matmul(a, b); }
#endif
