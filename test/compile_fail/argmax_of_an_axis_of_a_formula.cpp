// SPDX-License-Identifier: BSL-1.0
// expect: argmax<axis>\(x\) of a formula: it takes tensors
#include <espalier/eager/evaluate.hpp>
#include <espalier/operation/operation.hpp>
#include <espalier/storage/argmax.hpp>

namespace esp = espalier;

using input = esp::tensor<float, esp::shape<3, 4>>;
#ifdef SHOULD_FAIL
auto f(input const& x, input const& y) { return argmax<1>(x * y); }
#else
auto f(input const& x, input const& y) { return argmax<1>(evaluate(x * y)); }
#endif
