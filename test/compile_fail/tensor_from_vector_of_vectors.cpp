// SPDX-License-Identifier: BSL-1.0
// expect: tensor\(range\): the elements must be contiguous numbers.*copy other ranges \(std::vector<bool>, std::list, a vector of vectors\) into a std::vector first
// expect: numbers_in_a_row<
#include <array>
#include <vector>

#include <espalier/storage/tensor.hpp>

using espalier::shape;
using espalier::tensor;

#ifdef SHOULD_FAIL
auto f(std::vector<std::vector<float>> const& rows) { return tensor<float, shape<2, 3>>(rows); }
#else
auto f(std::vector<std::array<float, 3>> const& rows) { return tensor<float, shape<2, 3>>(rows); }
#endif
