// SPDX-License-Identifier: BSL-1.0
// expect: an index is an argument of std::int32_t, or a reshape of one
// lines: 12
#include <espalier.hpp>

namespace esp = espalier;

// A table that the loop changes cannot be read before the loop.
inline constexpr auto f = [](auto table, auto indices) {
  auto const step = [&](auto s, auto i) {
#ifdef SHOULD_FAIL
    return std::tuple{s * 0.5, sum(esp::index_select<0>(s, i))};
#else
    return std::tuple{s * 0.5, sum(esp::index_select<0>(table, i))};
#endif
  };
  return sum(std::get<1>(esp::scan(step, table, indices)));
};
auto g(esp::tensor<float, esp::shape<7, 3>> const& table, esp::tensor<std::int32_t, esp::shape<5, 2>> const& indices) {
  return esp::grad(f)(table, indices);
}
