// SPDX-License-Identifier: BSL-1.0
// expect: all_close\(a, b\): a and b are tensors or views; outside of functions write evaluate\(formula\)
#include <espalier/eager/evaluate.hpp>
#include <espalier/operation/operation.hpp>
#include <espalier/storage/all_close.hpp>

namespace esp = espalier;

using input = esp::tensor<float, esp::shape<3, 4>>;
#ifdef SHOULD_FAIL
auto f(input const& x, input const& y) { return all_close(x * y, y, 1e-4); }
#else
auto f(input const& x, input const& y) { return all_close(evaluate(x * y), y, 1e-4); }
#endif
