// SPDX-License-Identifier: BSL-1.0
// expect: max_pool2d<window, pooling>\(x\): window, stride and dilation must be at least 1, padding at least 0
#include <espalier/operation/operation.hpp>
#include <espalier/storage/tensor.hpp>

namespace esp = espalier;
using esp::shape;
using esp::tensor;

#ifdef SHOULD_FAIL
auto f(tensor<float, shape<2, 9, 7, 3>> const& x) { return esp::max_pool2d<0>(x); }
#else
auto f(tensor<float, shape<2, 9, 7, 3>> const& x) { return esp::max_pool2d<1>(x); }
#endif
