// SPDX-License-Identifier: BSL-1.0
// expect: rotary_embedding<rotary\{.base = b\}>\(x\): b must be above 0 and finite
#include <espalier/eager/evaluate.hpp>
#include <espalier/operation/operation.hpp>

using espalier::shape;
using espalier::tensor;

#ifdef SHOULD_FAIL
constexpr espalier::rotary options{.base = 0};
#else
constexpr espalier::rotary options{.base = 500000};
#endif
tensor<float, shape<4, 8>> f(tensor<float, shape<4, 8>> const& x) { return rotary_embedding<options>(x); }
