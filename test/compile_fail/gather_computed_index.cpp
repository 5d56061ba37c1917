// SPDX-License-Identifier: BSL-1.0
// expect: an index is an argument of std::int32_t, or a reshape of one; real numbers, slices and computed values are no indices
// lines: 12
#include <espalier/eager/gradient.hpp>
#include <espalier/operation/operation.hpp>

namespace esp = espalier;

struct lookup {
#ifdef SHOULD_FAIL
  constexpr auto operator()(auto table, auto i) const { return sum(index_select<0>(table, i * 2)); }
#else
  constexpr auto operator()(auto table, auto i) const { return sum(index_select<0>(table, i)); }
#endif
};

auto f(esp::tensor<float, esp::shape<4, 8>> const& x, esp::tensor<std::int32_t, esp::shape<3>> const& i) {
  return esp::grad<0>(lookup{})(x, i);
}
