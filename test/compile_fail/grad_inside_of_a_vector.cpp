// SPDX-License-Identifier: BSL-1.0
// expect: the shapes inside f do not fit|f must return one number
#include <espalier/eager/gradient.hpp>
#include <espalier.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;
using Net = nn::Linear<4, 3>;
using Input = esp::tensor<float, esp::shape<8, 4>>;

inline constexpr auto loss = [](auto net, auto x) { return mean(net(x)); };

#ifdef SHOULD_FAIL
inline constexpr auto rows = [](auto net, auto x) { return sum<1>(net(x)); };
#else
inline constexpr auto rows = [](auto net, auto x) { return sum(net(x)); };
#endif
inline constexpr auto penalty = [](auto net, auto x) {
  auto const g = esp::grad<1>(rows)(net, x);
  return sum(g * g);
};
auto f(esp::model<Net>& model, Input const& x) { return esp::value_and_grad<0>(penalty)(model, x); }
