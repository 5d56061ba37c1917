// SPDX-License-Identifier: BSL-1.0
// expect: an operation in f cannot be computed for all samples at once, because its value would have more than 6 axes
// expect: permute_
// lines: 12
#include <espalier/eager/vmap.hpp>
#include <espalier.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;

using Input = esp::tensor<float, esp::shape<4, 64>>;

#ifdef SHOULD_FAIL
inline constexpr auto turned = [](auto x) {
  return reshape<64>(esp::permute<5, 4, 3, 2, 1, 0>(reshape<2, 2, 2, 2, 2, 2>(x)));
};
#else
inline constexpr auto turned = [](auto x) {
  return reshape<64>(esp::permute<4, 3, 2, 1, 0>(reshape<2, 2, 2, 2, 4>(x)));
};
#endif
auto f(Input const& x) { return esp::vmap(turned)(x); }
