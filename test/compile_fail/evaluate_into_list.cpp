// SPDX-License-Identifier: BSL-1.0
// expect: evaluate_into\(expression, range\): the elements must be contiguous numbers
#include <vector>

#include <espalier/eager/evaluate.hpp>
#include <espalier/operation/operation.hpp>

using vector = espalier::tensor<float, espalier::shape<3>>;

#ifdef SHOULD_FAIL
void f(vector const& a, std::vector<bool>& y) { espalier::evaluate_into(a + 1, y); }
#else
void f(vector const& a, std::vector<float>& y) { espalier::evaluate_into(a + 1, y); }
#endif
