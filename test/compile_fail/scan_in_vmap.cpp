// SPDX-License-Identifier: BSL-1.0
// expect: vmap\(f\): f has a loop \(scan, repeat or a recurrent layer\), which vmap does not batch
// lines: 12
#include <espalier.hpp>

namespace esp = espalier;

inline constexpr auto f = [](auto x) {
#ifdef SHOULD_FAIL
  return esp::repeat<4>([](auto s) { return tanh(s); }, x);
#else
  return tanh(tanh(x));
#endif
};
auto g(esp::tensor<float, esp::shape<5, 3>> const& xs) { return esp::vmap(f)(xs); }
