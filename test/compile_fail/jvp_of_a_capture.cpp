// SPDX-License-Identifier: BSL-1.0
// expect: jvp\(f\): f must not capture anything
#include <espalier/eager/jvp.hpp>
#include <espalier.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;
using Net = nn::Linear<4, 3>;
using Input = esp::tensor<float, esp::shape<8, 4>>;

inline constexpr auto energy = [](auto a, auto b) { return sum(a * b); };
using Vector = esp::tensor<float, esp::shape<3>>;
using Other = esp::tensor<float, esp::shape<4>>;

#ifdef SHOULD_FAIL
auto f(Vector const& a, float b) {
  return esp::jvp([b](auto x) { return x * b; })(a)(a);
}
#else
auto f(Vector const& a, float) {
  return esp::jvp([](auto x) { return x * 2; })(a)(a);
}
#endif
