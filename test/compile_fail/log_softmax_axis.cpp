// SPDX-License-Identifier: BSL-1.0
// expect: softmax<axis>\(x\): x does not have this axis
// expect: axes_exist<(espalier::)?shape<8, 13>, (espalier::)?axes<-3> ?>
// expect-early: shape<8, 13>
#include <espalier/operation/operation.hpp>
#include <espalier/storage/tensor.hpp>

using espalier::shape;
using espalier::tensor;

#ifdef SHOULD_FAIL
auto f(tensor<float, shape<8, 13>> const& x) { return log_softmax<-3>(x); }
#else
auto f(tensor<float, shape<8, 13>> const& x) { return log_softmax<-2>(x); }
#endif
