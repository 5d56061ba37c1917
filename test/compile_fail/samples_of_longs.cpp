// SPDX-License-Identifier: BSL-1.0
// expect: data::samples\{inputs, targets\}: labels are std::int32_t, real targets of the inputs' type; data::dataset\{inputs, targets, reading\} converts a copy
// expect: element_is<long( int)?, int>
#include <vector>

#include <espalier/data/dataset.hpp>

namespace data = espalier::data;
using espalier::shape;

#ifdef SHOULD_FAIL
data::samples<float, shape<2>> f(std::vector<float> const& x, std::vector<long> const& y) { return {x, y}; }
#else
data::dataset<float, shape<2>> f(std::vector<float> const& x, std::vector<long> const& y) { return {x, y}; }
#endif
