// SPDX-License-Identifier: BSL-1.0
// expect: tensor = range: the range has another element type; convert with tensor<T, S> t\(range\)
// expect: element_is<double, float>
// expect-26: got double, expected float
#include <vector>

#include <espalier/storage/tensor.hpp>

using espalier::shape;
using espalier::tensor;

#ifdef SHOULD_FAIL
tensor<float, shape<2, 3>> f(std::vector<double> const& numbers) { return numbers; }
#else
tensor<float, shape<2, 3>> f(std::vector<double> const& numbers) { return tensor<float, shape<2, 3>>(numbers); }
#endif
