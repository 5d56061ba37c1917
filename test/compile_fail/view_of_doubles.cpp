// SPDX-License-Identifier: BSL-1.0
// expect: view\(range\): the range has another element type than the view; tensor<T, S>\(range\) converts its elements
// expect: element_is<double, float>
// expect-26: got double, expected float
#include <vector>

#include <espalier/storage/tensor.hpp>

using espalier::shape;
using espalier::view;

#ifdef SHOULD_FAIL
view<float const, shape<2, 3>> f(std::vector<double> const& numbers) { return numbers; }
#else
view<float const, shape<2, 3>> f(std::vector<float> const& numbers) { return numbers; }
#endif
