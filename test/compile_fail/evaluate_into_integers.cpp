// SPDX-License-Identifier: BSL-1.0
// expect: evaluate_into\(expression, tensor\): formulas are computed in float or double, which a tensor of integers does not accept
#include <espalier/eager/evaluate.hpp>
#include <espalier/operation/operation.hpp>

using counts = espalier::tensor<std::int32_t, espalier::shape<4>>;

#ifdef SHOULD_FAIL
void f(counts const& a, counts& b) { espalier::evaluate_into(a * a, b); }
#else
void f(counts const& a, espalier::tensor<float, espalier::shape<4>>& b) { espalier::evaluate_into(a * a, b); }
#endif
