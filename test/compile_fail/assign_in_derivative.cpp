// SPDX-License-Identifier: BSL-1.0
// expect: a function that is differentiated updates a model; update it behind value_and_grad, or compute with map_parameters
// lines: 10
#include <espalier/model/assign.hpp>
#include <espalier.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;
using Net = nn::Linear<4, 3>;
using Input = esp::tensor<float, esp::shape<8, 4>>;

#ifdef SHOULD_FAIL
inline constexpr auto loss = [](auto net, auto x) {
  esp::assign(net, esp::map_parameters([](auto p) { return p * 2; }, net));
  return mean(net(x));
};
#else
inline constexpr auto loss = [](auto net, auto x) {
  return mean(esp::map_parameters([](auto p) { return p * 2; }, net)(x));
};
#endif
auto f(esp::model<Net>& model, Input const& x) { return esp::value_and_grad<0>(loss)(model, x); }
