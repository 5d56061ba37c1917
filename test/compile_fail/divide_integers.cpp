// SPDX-License-Identifier: BSL-1.0
// expect: tensor = expression: formulas are computed in float or double and a tensor of integers takes none; tensor<std::int32_t, S>\(evaluate\(formula\)\) drops the fractions
#include <espalier/eager/evaluate.hpp>
#include <espalier/operation/operation.hpp>

using counts = espalier::tensor<std::int32_t, espalier::shape<4>>;

#ifdef SHOULD_FAIL
counts f(counts const& a, counts const& b) { return a / b; }
#else
counts f(counts const& a, counts const& b) { return counts(evaluate(a / b)); }
#endif
