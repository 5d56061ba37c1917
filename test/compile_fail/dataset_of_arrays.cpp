// SPDX-License-Identifier: BSL-1.0
// expect: data::dataset\{inputs, targets, reading\}: where the parts of a range are arrays, each must be one sample
// expect: parts_of_range<(espalier::)?shape<2>
// expect-26: a sample is \(2\), the range
#include <array>
#include <vector>

#include <espalier/data/dataset.hpp>

namespace data = espalier::data;
using espalier::shape;

#ifdef SHOULD_FAIL
data::dataset<float, shape<2>> f(std::vector<std::array<float, 3>> const& x, std::vector<int> const& y) {
  return {x, y};
}
#else
data::dataset<float, shape<3>> f(std::vector<std::array<float, 3>> const& x, std::vector<int> const& y) {
  return {x, y};
}
#endif
