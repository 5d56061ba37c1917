// SPDX-License-Identifier: BSL-1.0
// expect: grad\(f\)\(x...\): a member of a struct is a formula of tensors; pass evaluate\(x\)
#include <espalier/eager/gradient.hpp>
#include <espalier/operation/operation.hpp>

namespace esp = espalier;
using vector = esp::tensor<double, esp::shape<3>>;

auto f(vector const& a, vector const& b) {
#ifdef SHOULD_FAIL
  auto const c = a + b;
#else
  vector const c = a + b;
#endif
  return esp::grad([](auto s) { return sum(s.first * s.second); })(std::pair{a, c});
}
