// SPDX-License-Identifier: BSL-1.0
// expect: average_pool2d<window>\(x\): images have four axes
// expect-early: images<(espalier::)?shape<9, 7, 3> ?>
#include <espalier/operation/operation.hpp>
#include <espalier/storage/tensor.hpp>

namespace esp = espalier;
using esp::shape;
using esp::tensor;

#ifdef SHOULD_FAIL
auto f(tensor<float, shape<9, 7, 3>> const& x) { return esp::average_pool2d<2>(x); }
#else
auto f(tensor<float, shape<1, 9, 7, 3>> const& x) { return esp::average_pool2d<2>(x); }
#endif
