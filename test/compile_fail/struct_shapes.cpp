// SPDX-License-Identifier: BSL-1.0
// expect: grad\(f\)\(x...\): the shapes inside f do not fit
// expect: broadcast
#include <espalier/eager/gradient.hpp>
#include <espalier/operation/operation.hpp>

namespace esp = espalier;

#ifdef SHOULD_FAIL
using Second = esp::tensor<double, esp::shape<4>>;
#else
using Second = esp::tensor<double, esp::shape<3>>;
#endif

auto f(esp::tensor<double, esp::shape<3>> const& a, Second const& b) {
  return esp::grad([](auto s) { return sum(s.first * s.second); })(std::pair{a, b});
}
