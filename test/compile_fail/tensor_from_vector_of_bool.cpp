// SPDX-License-Identifier: BSL-1.0
// expect: tensor\(range\): the elements must be contiguous numbers
// expect: vector<bool
#include <vector>

#include <espalier/storage/tensor.hpp>

using espalier::shape;
using espalier::tensor;

#ifdef SHOULD_FAIL
tensor<float, shape<2, 3>> f(std::vector<bool> const& numbers) { return numbers; }
#else
tensor<float, shape<2, 3>> f(std::vector<float> const& numbers) { return numbers; }
#endif
