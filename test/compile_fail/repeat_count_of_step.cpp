// SPDX-License-Identifier: BSL-1.0
// expect: scan\(step, state, xs, count\), repeat<N>\(step, state, count\): the count is an argument of one std::int32_t; real numbers, elements of a tensor and computed values are no counts
// lines: 12
#include <espalier.hpp>

namespace esp = espalier;

// A number of steps for each position of a sequence is no argument.
inline constexpr auto f = [](auto s, [[maybe_unused]] auto counts, [[maybe_unused]] auto count) {
  auto const step = [&](auto const& sum, [[maybe_unused]] auto const& n) {
    auto const half = [](auto const& x) { return 0.5 * x; };
#ifdef SHOULD_FAIL
    return std::tuple{esp::repeat<4>(half, sum, n), std::tuple{}};
#else
    return std::tuple{esp::repeat<4>(half, sum, count), std::tuple{}};
#endif
  };
  return sum(std::get<0>(esp::scan(step, s, counts)));
};
auto g(esp::tensor<float, esp::shape<3>> const& s, esp::tensor<std::int32_t, esp::shape<5>> const& counts,
       esp::tensor<std::int32_t, esp::shape<>> const& count) {
  return esp::grad(f)(s, counts, count);
}
