// SPDX-License-Identifier: BSL-1.0
// expect: conv2d\(x, w\): images x and kernels w have four axes
// expect-early: images_and_kernels<(espalier::)?shape<8, 8, 3>, (espalier::)?shape<3, 3, 3, 8> ?>
#include <espalier/operation/operation.hpp>
#include <espalier/storage/tensor.hpp>

namespace esp = espalier;
using esp::shape;
using esp::tensor;

#ifdef SHOULD_FAIL
auto f(tensor<float, shape<8, 8, 3>> const& x, tensor<float, shape<3, 3, 3, 8>> const& w) { return conv2d(x, w); }
#else
auto f(tensor<float, shape<1, 8, 8, 3>> const& x, tensor<float, shape<3, 3, 3, 8>> const& w) { return conv2d(x, w); }
#endif
