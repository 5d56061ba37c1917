// SPDX-License-Identifier: BSL-1.0
// expect: compiled\(x..., y...\): the arguments f was planned for, then its results: a struct where f has one
// expect: planned_structs<
#include <espalier/eager/compiled.hpp>
#include <espalier/operation/operation.hpp>

namespace esp = espalier;
using vector = esp::tensor<double, esp::shape<>>;

inline constexpr auto exchanged = [](auto s) { return std::pair{s.second, s.first}; };

void f(vector const& a, vector const& b, std::pair<vector, vector>& y) {
  esp::compiled run{exchanged, std::pair{a, b}};
#ifdef SHOULD_FAIL
  run(a, y);
#else
  run(std::pair{a, b}, y);
#endif
}
