// SPDX-License-Identifier: BSL-1.0
// expect: tensor\(array\): the array must have as many elements as the shape, and if it is nested, the same extents
// expect: shape<2, 3>
#include <espalier/storage/tensor.hpp>

using espalier::shape;
using espalier::tensor;

#ifdef SHOULD_FAIL
float const numbers[3][2] = {{1, 2}, {3, 4}, {5, 6}};
#else
float const numbers[2][3] = {{1, 2, 3}, {4, 5, 6}};
#endif
tensor<float, shape<2, 3>> t(numbers);
