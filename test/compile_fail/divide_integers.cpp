// SPDX-License-Identifier: BSL-1.0
// expect: tensor = expression: formulas are computed in float or double, which a tensor of integers does not accept; tensor<std::int32_t, S>\(evaluate\(formula\)\) truncates
#include <espalier/eager/evaluate.hpp>
#include <espalier/operation/operation.hpp>

using counts = espalier::tensor<std::int32_t, espalier::shape<4>>;

#ifdef SHOULD_FAIL
counts f(counts const& a, counts const& b) { return a / b; }
#else
counts f(counts const& a, counts const& b) { return counts(evaluate(a / b)); }
#endif
