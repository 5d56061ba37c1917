// SPDX-License-Identifier: BSL-1.0
// expect: the program has more than 4095 kernels; split it into several functions or models
// lines: 12
#include <espalier/eager/compiled.hpp>
#include <espalier/operation/operation.hpp>

namespace esp = espalier;

#ifdef SHOULD_FAIL
constexpr int steps = 1500;
#else
constexpr int steps = 3;
#endif

// Neither half can be computed in the loop of the other, so each step has several kernels.
inline constexpr auto iterate = [](auto x) {
  for (int i = 0; i < steps; ++i)
    x = esp::concatenate<0>(esp::slice<0, 1, 2>(x) * 0.5, esp::exp(esp::slice<0, 0, 1>(x)));
  return x;
};

void f(esp::tensor<float, esp::shape<2>> const& x, esp::tensor<float, esp::shape<2>>& y) {
  esp::compiled run{iterate, x};
  run(x, y);
}
