// SPDX-License-Identifier: BSL-1.0
// expect: compiled\(f, x...\): f is the name of a function; write a lambda
#include <espalier/eager/compiled.hpp>
#include <espalier/operation/operation.hpp>

namespace esp = espalier;
using row = esp::tensor<float, esp::shape<3>>;
float energy(row const& x) { return x[0]; }

#ifdef SHOULD_FAIL
void f(row const& x) { esp::compiled run{energy, x}; }
#else
void f(row const& x) {
  esp::compiled run{[](auto a) { return a * a; }, x};
}
#endif
