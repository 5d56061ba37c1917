// SPDX-License-Identifier: BSL-1.0
// expect: T is float, double, half, bfloat16, std::int32_t or bool
// expect-early: tensor<long
// expect-26: std::int32_t or bool; got int64
#include <espalier/storage/tensor.hpp>

using espalier::shape;
using espalier::tensor;

#if defined(SHOULD_FAIL)
tensor<std::int64_t, shape<3>> x;
#else
tensor<std::int32_t, shape<3>> x;
#endif
