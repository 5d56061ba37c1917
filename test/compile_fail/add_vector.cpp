// SPDX-License-Identifier: BSL-1.0
// expect: an op takes tensors, views and formulas, .* write esp::view<float, shape<4>>\{x\} for numbers in memory
// lines: 12
#include <vector>

#include <espalier.hpp>

namespace esp = espalier;
using numbers = esp::tensor<float, esp::shape<4>>;

#ifdef SHOULD_FAIL
numbers f(numbers const& x, std::vector<float> const& y) { return x + y; }
#else
numbers f(numbers const& x, std::vector<float> const& y) { return x + esp::view<float const, esp::shape<4>>{y}; }
#endif
