// SPDX-License-Identifier: BSL-1.0
// expect: vmap\(f\): f must not capture anything
#include <espalier/eager/vmap.hpp>
#include <espalier.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;

using Rows = esp::tensor<float, esp::shape<8, 3>>;

auto f(Rows const& x, float scale) {
#ifdef SHOULD_FAIL
  return esp::vmap([=](auto a) { return sum(a * scale); })(x);
#else
  static_cast<void>(scale);
  return esp::vmap([](auto a) { return sum(a * 2); })(x);
#endif
}
