// SPDX-License-Identifier: BSL-1.0
// expect: an op has no such argument: .* nothing is computed in place
// lines: 12
// PyTorch's relu(x, inplace).
#include <espalier.hpp>

#ifdef SHOULD_FAIL
auto f(espalier::tensor<float, espalier::shape<4>> const& x) { return evaluate(relu(x, true)); }
#else
auto f(espalier::tensor<float, espalier::shape<4>> const& x) { return evaluate(relu(x)); }
#endif
