// SPDX-License-Identifier: BSL-1.0
// expect: the arguments f was planned for, then a tensor for each result
// expect-early: shape<3, 2>
// expect-26: a tensor for each result; got \(tensor<\(2, 3\)>, tensor<\(2, 3\)>, tensor<\(3, 2\)>\), planned for
#include <espalier/eager/compiled.hpp>
#include <espalier/operation/operation.hpp>

namespace esp = espalier;

struct formula {
  constexpr auto operator()(auto a, auto b) const { return a + b; }
};

#ifdef SHOULD_FAIL
using result = esp::shape<3, 2>;
#else
using result = esp::shape<2, 3>;
#endif

void f(esp::tensor<float, esp::shape<2, 3>> const& a, esp::tensor<float, esp::shape<2, 3>> const& b) {
  esp::compiled run{formula{}, a, b};
  esp::tensor<float, result> y;
  run(a, b, y);
}
