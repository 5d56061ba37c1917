// SPDX-License-Identifier: BSL-1.0
// expect: an op takes tensors, views and formulas, .* write esp::view<float, shape<4>>\{x\} for numbers in memory
// lines: 12
#include <vector>

#include <espalier.hpp>

namespace esp = espalier;

#ifdef SHOULD_FAIL
auto f(std::vector<float> const& x) { return esp::evaluate(esp::relu(x)); }
#else
auto f(std::vector<float> const& x) { return esp::evaluate(esp::relu(esp::view<float const, esp::shape<4>>{x})); }
#endif
