// SPDX-License-Identifier: BSL-1.0
// expect: an index is an argument of std::int32_t, or a reshape of one
// lines: 12
#include <espalier.hpp>

namespace esp = espalier;

// The gather is before the loop, for all positions, and so would be the logarithms: of zeros behind the count.
inline constexpr auto f = [](auto w, auto xs, auto indices, auto count) {
  auto const step = [&](auto const& s, auto const& at) {
    auto const& [x, i] = at;
#ifdef SHOULD_FAIL
    return std::tuple{s, sum(esp::index_select<0>(log(x * w), i))};
#else
    return std::tuple{s, sum(log(esp::index_select<0>(x * w, i)))};
#endif
  };
  return sum(std::get<1>(esp::scan(step, w, std::tuple{xs, indices}, count)));
};
auto g(esp::tensor<float, esp::shape<3>> const& w, esp::tensor<float, esp::shape<5, 3>> const& xs,
       esp::tensor<std::int32_t, esp::shape<5, 2>> const& indices,
       esp::tensor<std::int32_t, esp::shape<>> const& count) {
  return esp::grad(f)(w, xs, indices, count);
}
