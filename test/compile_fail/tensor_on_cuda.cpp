// SPDX-License-Identifier: BSL-1.0
// expect: include <espalier/cuda.hpp> for tensors on the graphics processor
// expect-early: espalier::cuda
#include <espalier/storage/tensor.hpp>

using espalier::shape;
using espalier::tensor;

#if defined(SHOULD_FAIL)
tensor<float, shape<3>, espalier::cuda> x;
#else
tensor<float, shape<3>> x;
#endif
