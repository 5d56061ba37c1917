// SPDX-License-Identifier: BSL-1.0
// expect: compiled\(x..., y...\): a struct of results is a temporary with tensors of its own; name it
// expect: is_kept<.*pair
#include <espalier/eager/compiled.hpp>
#include <espalier/operation/operation.hpp>

namespace esp = espalier;
using vector = esp::tensor<double, esp::shape<>>;

inline constexpr auto exchanged = [](auto s) { return std::pair{s.second, s.first}; };

void f(std::pair<vector, vector> const& x, vector& a, vector& b) {
  esp::compiled run{exchanged, x};
#ifdef SHOULD_FAIL
  run(x, std::pair{a, b});
#else
  run(x, std::pair<vector&, vector&>{a, b});
#endif
}
