// SPDX-License-Identifier: BSL-1.0
// expect: f calls grad, vmap, scan, checkpoint, parameter_of or a similar function with arguments that do not fit
// expect: same_net<
// net: espalier::nn::Linear<4, [35](, espalier::nn::with_bias)?>
#include <espalier/model/map_parameters.hpp>
#include <espalier.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;
using Net = nn::Linear<4, 3>;
using Input = esp::tensor<float, esp::shape<8, 4>>;

using Other = nn::Linear<4, 5>;

#ifdef SHOULD_FAIL
using Second = Other;
#else
using Second = Net;
#endif

inline constexpr auto mean_of_nets = [](auto net, auto second, auto x) {
  return evaluate(esp::map_parameters([](auto p, auto q) { return (p + q) / 2; }, net, second), x);
};
void f(esp::model<Net> const& model, esp::model<Second> const& second, Input const& x,
       esp::tensor<float, esp::shape<8, 3>>& y) {
  esp::compiled run{mean_of_nets, model, second, x};
  run(x, y);
}
