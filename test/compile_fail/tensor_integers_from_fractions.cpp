// SPDX-License-Identifier: BSL-1.0
// expect: a floating-point number does not fit a tensor of integers
// expect-early: double.*int
#include <espalier/storage/tensor.hpp>

using espalier::shape;
using espalier::tensor;

#if defined(SHOULD_FAIL)
tensor<std::int32_t, shape<2>> x{1.5, 2};
#else
tensor<std::int32_t, shape<2>> x{1, 2};
#endif
