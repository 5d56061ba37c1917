// SPDX-License-Identifier: BSL-1.0
// expect: scan\(step, state, xs, count\), repeat<N>\(step, state, count\): the count is an argument of one std::int32_t; real numbers, elements of a tensor and computed values are no counts
// lines: 12
#include <espalier.hpp>

namespace esp = espalier;

inline constexpr auto f = [](auto s, auto xs, auto count) {
  auto const step = [](auto const& sum, auto const& x) { return std::tuple{sum + x, std::tuple{}}; };
#ifdef SHOULD_FAIL
  return sum(std::get<0>(esp::scan(step, s, xs, count - 1)));
#else
  return sum(std::get<0>(esp::scan(step, s, xs, count)));
#endif
};
auto g(esp::tensor<float, esp::shape<3>> const& s, esp::tensor<float, esp::shape<5, 3>> const& xs,
       esp::tensor<std::int32_t, esp::shape<>> const& count) {
  return esp::grad(f)(s, xs, count);
}
