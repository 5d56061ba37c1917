// SPDX-License-Identifier: BSL-1.0
// expect: include <espalier/parallel.hpp> for threads
// expect-early: cpu_parallel<2>
#include <espalier/eager/compiled.hpp>
#include <espalier/operation/operation.hpp>
#ifndef SHOULD_FAIL
#include <espalier/parallel.hpp>
#endif

namespace esp = espalier;

struct formula {
  constexpr auto operator()(auto a, auto b) const { return a + b; }
};

void f(esp::tensor<float, esp::shape<2, 3>> const& a, esp::tensor<float, esp::shape<2, 3>> const& b,
       esp::tensor<float, esp::shape<2, 3>>& y) {
  esp::compiled run{esp::cpu_parallel<2>{}, formula{}, a, b};
  run(a, b, y);
}
