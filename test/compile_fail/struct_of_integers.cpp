// SPDX-License-Identifier: BSL-1.0
// expect: grad<I...>\(f\)\(x...\): argument I has no gradient: gradients are of float and double, not of integers
#include <espalier/eager/gradient.hpp>
#include <espalier/operation/operation.hpp>

namespace esp = espalier;
using vector = esp::tensor<double, esp::shape<3>>;

#ifdef SHOULD_FAIL
using Index = esp::tensor<std::int32_t, esp::shape<3>>;
#else
using Index = vector;
#endif

auto f(Index const& i, vector const& x) {
  return esp::grad<0>([](auto s, auto y) { return sum(s.first * s.second * y); })(std::pair{i, i}, x);
}
