// SPDX-License-Identifier: BSL-1.0
// expect: labels must have the shape of x without its last axis
// expect: one_label_a_row<(espalier::)?shape<32, 10>, (espalier::)?shape<31> ?>
// expect-early: shape<32, 10>
// expect-early: shape<31>
#include <espalier/operation/operation.hpp>
#include <espalier/storage/tensor.hpp>

using espalier::shape;
using espalier::tensor;

#ifdef SHOULD_FAIL
auto f(tensor<float, shape<32, 10>> const& x, tensor<std::int32_t, shape<31>> const& labels) { return pick(x, labels); }
#else
auto f(tensor<float, shape<32, 10>> const& x, tensor<std::int32_t, shape<32>> const& labels) { return pick(x, labels); }
#endif
