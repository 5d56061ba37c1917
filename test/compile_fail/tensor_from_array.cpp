// SPDX-License-Identifier: BSL-1.0
// expect: tensor\(array\): the array must have as many elements as the shape
// expect: array_counts<.*shape<2, 3>, (const )?std::array<float, 5>
// expect-26: the shape is \(2, 3\), the array
#include <array>

#include <espalier/storage/tensor.hpp>

using espalier::shape;
using espalier::tensor;

#ifdef SHOULD_FAIL
tensor<float, shape<2, 3>> f(std::array<float, 5> const& numbers) { return numbers; }
#else
tensor<float, shape<2, 3>> f(std::array<float, 6> const& numbers) { return numbers; }
#endif
