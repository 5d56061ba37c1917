// SPDX-License-Identifier: BSL-1.0
// expect: f calls grad, vmap, scan, checkpoint, parameter_of or a similar function with arguments that do not fit
// expect: keeps_shape<(espalier::)?shape<4, 3>, (espalier::)?shape<> ?>
// net: espalier::nn::Linear<4, [35](, espalier::nn::with_bias)?>
#include <espalier/model/map_parameters.hpp>
#include <espalier.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;
using Net = nn::Linear<4, 3>;
using Input = esp::tensor<float, esp::shape<8, 4>>;

#ifdef SHOULD_FAIL
inline constexpr auto change = [](auto p) { return sum(p); };
#else
inline constexpr auto change = [](auto p) { return p * 2; };
#endif

inline constexpr auto changed = [](auto net, auto x) { return evaluate(esp::map_parameters(change, net), x); };
void f(esp::model<Net> const& model, Input const& x, esp::tensor<float, esp::shape<8, 3>>& y) {
  esp::compiled run{changed, model, x};
  run(x, y);
}
