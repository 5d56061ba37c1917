// SPDX-License-Identifier: BSL-1.0
// expect: max_pool2d<window>\(x\): the dilated window must fit into the padded image
// expect-early: kernel_fits<(espalier::)?kernel<9>, (espalier::)?width<7>, (espalier::)?padding<0, 0>, (espalier::)?dilation<1> ?>
// expect-26: into the padded image; kernel 9, width 7, padding \(0, 0\), dilation 1
#include <espalier/operation/operation.hpp>
#include <espalier/storage/tensor.hpp>

namespace esp = espalier;
using esp::shape;
using esp::tensor;

#ifdef SHOULD_FAIL
auto f(tensor<float, shape<2, 9, 7, 3>> const& x) { return esp::max_pool2d<9>(x); }
#else
auto f(tensor<float, shape<2, 9, 7, 3>> const& x) { return esp::max_pool2d<7>(x); }
#endif
