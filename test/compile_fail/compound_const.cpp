// SPDX-License-Identifier: BSL-1.0
// expect: x \+= y: x is const
#include <espalier/eager/evaluate.hpp>
#include <espalier/operation/operation.hpp>

using row = espalier::tensor<float, espalier::shape<3>>;

#ifdef SHOULD_FAIL
void f(row const& y, row const& x) { y += x * 2; }
#else
void f(row& y, row const& x) { y += x * 2; }
#endif
