// SPDX-License-Identifier: BSL-1.0
// expect: compiled\(x..., y...\): expected tensors and views; esp::view<T, S>\(x\) makes a view of a std::vector
#include <espalier/eager/compiled.hpp>
#include <espalier/operation/operation.hpp>
#include <vector>

namespace esp = espalier;
using row = esp::tensor<float, esp::shape<3>>;
using row_view = esp::view<float, esp::shape<3>>;

void f(row const& x, std::vector<float>& y) {
  esp::compiled run{[](auto a) { return a * 2; }, x};
#ifdef SHOULD_FAIL
  run(x, y);
#else
  run(x, row_view(y));
#endif
}
