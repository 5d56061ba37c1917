// SPDX-License-Identifier: BSL-1.0
// expect: data::dataset\{inputs, labels, reading\}: labels are integers; data::dataset<T, Sample, shape<...>> has real targets
// expect: number_converts<float, int>
// expect-26: got float, expected int32
#include <vector>

#include <espalier/data/dataset.hpp>

namespace data = espalier::data;
using espalier::shape;

#ifdef SHOULD_FAIL
data::dataset<float, shape<2>> f(std::vector<float> const& x, std::vector<float> const& y) { return {x, y}; }
#else
data::dataset<float, shape<2>, shape<1>> f(std::vector<float> const& x, std::vector<float> const& y) { return {x, y}; }
#endif
