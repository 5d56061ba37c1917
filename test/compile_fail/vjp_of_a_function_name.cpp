// SPDX-License-Identifier: BSL-1.0
// expect: vjp\(f\): f is the name of a function; write a lambda: \[\]\(auto x\) { return f\(x\); }
#include <espalier/eager/gradient.hpp>
#include <espalier/operation/operation.hpp>

namespace esp = espalier;
using row = esp::tensor<float, esp::shape<3>>;
float energy(row const& x) { return x[0]; }

#ifdef SHOULD_FAIL
auto f(row const& x) { return esp::vjp(energy)(x); }
#else
auto f(row const& x) {
  return esp::grad([](auto a) { return sum(a * a); })(x);
}
#endif
