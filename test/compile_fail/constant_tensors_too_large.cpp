// SPDX-License-Identifier: BSL-1.0
// expect: the constant tensors of a formula have more than 16384 elements in total
// expect: sound<table
// lines: 12
// Constants are part of the program that the compiler reads.
#include <espalier/eager/compiled.hpp>
#include <espalier/operation/operation.hpp>

namespace esp = espalier;

#ifdef SHOULD_FAIL
inline constexpr int tables = 4;
#else
inline constexpr int tables = 2;
#endif
struct table {
  constexpr auto operator()(auto x) const {
    auto y = x * 1;
    for (int k = 0; k < tables; ++k) {
      esp::tensor<float, esp::shape<70, 70>> entries{};
      for (int i = 0; i < 70; ++i) entries(i, i) = static_cast<float>(i + k);
      y = matmul(y, entries);
    }
    return y;
  }
};

void f(esp::tensor<float, esp::shape<2, 70>> const& x, esp::tensor<float, esp::shape<2, 70>>& y) {
  esp::compiled run{table{}, x};
  run(x, y);
}
