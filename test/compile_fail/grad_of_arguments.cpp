// SPDX-License-Identifier: BSL-1.0
// expect: grad\(f\) returns a function of the arguments; write grad\(f\)\(x\)
// expect-early: called_when_made<
#include <espalier.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;

auto f(esp::tensor<float, esp::shape<3>> const& x) {
#ifdef SHOULD_FAIL
  return esp::grad(x, [](auto x) { return sum(x * x); });
#else
  return esp::grad([](auto x) { return sum(x * x); })(x);
#endif
}
