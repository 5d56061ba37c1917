// SPDX-License-Identifier: BSL-1.0
// expect: data::samples\{inputs, targets\}: a range is a temporary, which is destroyed before the samples; store it in a variable, or copy it with data::dataset
#include <vector>

#include <espalier/data/dataset.hpp>

namespace data = espalier::data;
using espalier::shape;

std::vector<float> read();

#ifdef SHOULD_FAIL
data::samples<float, shape<2>> f(std::vector<int> const& y) { return {read(), y}; }
#else
data::dataset<float, shape<2>> f(std::vector<int> const& y) { return {read(), y}; }
#endif
