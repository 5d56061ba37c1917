// SPDX-License-Identifier: BSL-1.0
// expect: conv1d\(x, w\): signals x and kernels w have three axes
// expect-early: signals_and_kernels<(espalier::)?shape<8, 3>, (espalier::)?shape<3, 3, 8> ?>
#include <espalier/operation/operation.hpp>
#include <espalier/storage/tensor.hpp>

namespace esp = espalier;
using esp::shape;
using esp::tensor;

#ifdef SHOULD_FAIL
auto f(tensor<float, shape<8, 3>> const& x, tensor<float, shape<3, 3, 8>> const& w) { return conv1d(x, w); }
#else
auto f(tensor<float, shape<1, 8, 3>> const& x, tensor<float, shape<3, 3, 8>> const& w) { return conv1d(x, w); }
#endif
