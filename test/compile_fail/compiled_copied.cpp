// SPDX-License-Identifier: BSL-1.0
// expect: a compiled function cannot be copied or moved: construct another one
#include <espalier/eager/compiled.hpp>
#include <espalier/operation/operation.hpp>

namespace esp = espalier;

struct doubled {
  constexpr auto operator()(auto x) const { return x * 2; }
};
using vector = esp::tensor<float, esp::shape<4>>;

void f(vector const& x, vector& y) {
  esp::compiled run{doubled{}, x};
#ifdef SHOULD_FAIL
  auto other = run;
#else
  esp::compiled other{doubled{}, x};
#endif
  other(x, y);
}
