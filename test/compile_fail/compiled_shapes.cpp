// SPDX-License-Identifier: BSL-1.0
// expect: the shapes inside f do not fit
// expect: (espalier::)?inner_dimensions<(espalier::)?shape<2, 3>, (espalier::)?shape<2, 3> ?>
// expect-early: shape<2, 3>
#include <espalier/eager/compiled.hpp>
#include <espalier/operation/operation.hpp>

namespace esp = espalier;

struct formula {
#ifdef SHOULD_FAIL
  constexpr auto operator()(auto a, auto b) const { return std::tuple{a + b, tanh(matmul(a, b))}; }
#else
  constexpr auto operator()(auto a, auto b) const { return std::tuple{a + b, tanh(a * b)}; }
#endif
};

void f(esp::tensor<float, esp::shape<2, 3>> const& a, esp::tensor<float, esp::shape<2, 3>> const& b) {
  esp::compiled run{formula{}, a, b};
  esp::tensor<float, esp::shape<2, 3>> y, z;
  run(a, b, y, z);
}
