// SPDX-License-Identifier: BSL-1.0
// expect: conv2d\(x, w\): the channels of x must be groups times the input channels of w, and groups must divide the output channels of w
// expect-early: kernel_channels<(espalier::)?channels<3>, (espalier::)?kernel_inputs<4>, (espalier::)?groups<1>, (espalier::)?kernel_outputs<8> ?>
// expect-26: groups must divide the output channels of w; channels 3, kernel inputs 4, groups 1, kernel outputs 8
#include <espalier/operation/operation.hpp>
#include <espalier/storage/tensor.hpp>

namespace esp = espalier;
using esp::shape;
using esp::tensor;

#ifdef SHOULD_FAIL
auto f(tensor<float, shape<2, 8, 8, 3>> const& x, tensor<float, shape<3, 3, 4, 8>> const& w) { return conv2d(x, w); }
#else
auto f(tensor<float, shape<2, 8, 8, 3>> const& x, tensor<float, shape<3, 3, 3, 8>> const& w) { return conv2d(x, w); }
#endif
