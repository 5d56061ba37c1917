// SPDX-License-Identifier: BSL-1.0
// expect: data::dataset\{inputs, targets, reading\}: the elements must be contiguous numbers
// expect: numbers_in_a_row<
#include <array>
#include <vector>

#include <espalier/data/dataset.hpp>

namespace data = espalier::data;
using espalier::shape;

#ifdef SHOULD_FAIL
data::dataset<float, shape<2>> f(std::vector<std::vector<float>> const& x, std::vector<int> const& y) { return {x, y}; }
#else
data::dataset<float, shape<2>> f(std::vector<std::array<float, 2>> const& x, std::vector<int> const& y) {
  return {x, y};
}
#endif
