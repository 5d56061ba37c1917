// SPDX-License-Identifier: BSL-1.0
// expect: vmap\(f\): the count of a loop in f is a mapped argument, and all samples run the same number of steps
// lines: 12
#include <espalier.hpp>

namespace esp = espalier;

inline constexpr auto f = [](auto x, auto count) { return esp::repeat<4>([](auto s) { return tanh(s); }, x, count); };
auto g(esp::tensor<float, esp::shape<5, 3>> const& xs) {
#ifdef SHOULD_FAIL
  esp::tensor<std::int32_t, esp::shape<5>> const counts{4, 3, 2, 1, 0};
  return esp::vmap(f)(xs, counts);
#else
  esp::tensor<std::int32_t, esp::shape<>> const count{4};
  return esp::vmap<0>(f)(xs, count);
#endif
}
