// SPDX-License-Identifier: BSL-1.0
// expect: the compiler cannot run f; write `constexpr` before each function that f calls
// expect-early: run_by_compiler<
#include <espalier/eager/gradient.hpp>
#include <espalier/operation/operation.hpp>

namespace esp = espalier;

#ifdef SHOULD_FAIL
auto shifted(auto x) { return x + 1; }
#else
constexpr auto shifted(auto x) { return x + 1; }
#endif

auto f(esp::tensor<float, esp::shape<3>> const& a) {
  return esp::grad([](auto x) { return sum(shifted(x) * x); })(a);
}
