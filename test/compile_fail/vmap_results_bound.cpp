// SPDX-License-Identifier: BSL-1.0
// expect: grad\(f\)\(x\.\.\.\): the shapes inside f do not fit
// expect: inner_dimensions<
#include <espalier.hpp>

namespace esp = espalier;

#ifdef SHOULD_FAIL
inline constexpr auto one = [](auto w, auto x) { return std::tuple{matmul(w, x), sum(x)}; };
#else
inline constexpr auto one = [](auto w, auto x) { return std::tuple{matmul(x, w), sum(x)}; };
#endif
inline constexpr auto f = [](auto w, auto xs) {
  auto const [products, sums] = esp::vmap<1>(one)(w, xs);
  return sum(products) + sum(sums);
};
auto g(esp::tensor<float, esp::shape<3, 2>> const& w, esp::tensor<float, esp::shape<4, 1, 3>> const& xs) {
  return esp::grad(f)(w, xs);
}
