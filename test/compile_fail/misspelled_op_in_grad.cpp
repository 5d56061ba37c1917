// SPDX-License-Identifier: BSL-1.0
// expect: no member named 'tahn'|.tahn. is not a member of .esp.; did you mean .tanh.
// lines: 12
// The body has no result then on g++, which is not said beside it.
#include <espalier/eager/gradient.hpp>
#include <espalier/operation/operation.hpp>

namespace esp = espalier;

auto f(esp::tensor<float, esp::shape<3>> const& a) {
#ifdef SHOULD_FAIL
  return esp::grad([](auto x) { return esp::sum(esp::tahn(x)); })(a);
#else
  return esp::grad([](auto x) { return esp::sum(esp::tanh(x)); })(a);
#endif
}
