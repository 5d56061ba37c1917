// SPDX-License-Identifier: BSL-1.0
// expect: no argument has a gradient: gradients are of float and double, not of integers, bool or constant\(x\)
// expect: has_differentiable_argument<
#include <espalier/eager/gradient.hpp>
#include <espalier/operation/operation.hpp>

namespace esp = espalier;

#ifdef SHOULD_FAIL
using X = esp::tensor<std::int32_t, esp::shape<3>>;
#else
using X = esp::tensor<float, esp::shape<3>>;
#endif

auto f(X const& a) {
  return esp::grad([](auto x) { return sum(x * x); })(a);
}
