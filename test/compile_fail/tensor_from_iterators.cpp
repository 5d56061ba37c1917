// SPDX-License-Identifier: BSL-1.0
// expect: tensor\(first, last\): pass a range; std::span makes one of two iterators, or of a pointer and a count
#include <span>
#include <vector>

#include <espalier/storage/tensor.hpp>

using espalier::shape;
using espalier::tensor;

#ifdef SHOULD_FAIL
auto f(std::vector<float> const& x) { return tensor<float, shape<2, 3>>(x.begin(), x.end()); }
#else
auto f(std::vector<float> const& x) { return tensor<float, shape<2, 3>>(std::span(x.begin(), x.end())); }
#endif
