// SPDX-License-Identifier: BSL-1.0
// expect: data::samples\{inputs, targets\}: inputs have another element type; data::dataset\{inputs, targets, reading\} converts a copy
// expect: element_is<double, float>
// expect-26: got double, expected float
#include <vector>

#include <espalier/data/dataset.hpp>

namespace data = espalier::data;
using espalier::shape;

#ifdef SHOULD_FAIL
data::samples<float, shape<2>> f(std::vector<double> const& x, std::vector<int> const& y) { return {x, y}; }
#else
data::dataset<float, shape<2>> f(std::vector<double> const& x, std::vector<int> const& y) { return {x, y}; }
#endif
