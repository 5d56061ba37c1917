// SPDX-License-Identifier: BSL-1.0
// expect: tensor\{first, second, ...\}: a floating-point number does not fit a tensor of integers
// expect-early: number_converts<
#include <cstdint>

#include <espalier/storage/tensor.hpp>

using espalier::shape;
using espalier::tensor;

#if defined(SHOULD_FAIL)
double const first[]{1, 2}, second[]{3, 4};
#else
std::int32_t const first[]{1, 2}, second[]{3, 4};
#endif
tensor<std::int32_t, shape<2, 2>> x{first, second};
