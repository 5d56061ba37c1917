// SPDX-License-Identifier: BSL-1.0
// expect: this accepts nets of one input; model\(x, h\), predictor, frozen, prediction_plan and output_shape accept several
// expect: one_input_only<Distance, (espalier::)?shape<2, 8>, (espalier::)?shape<2, 8> ?>
// lines: 12
#include <espalier/report/summary.hpp>
#include <espalier.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;

struct Distance {
  nn::Linear<8, 4> layer;
  ESPALIER_MODULE(Distance, layer)
#ifdef SHOULD_FAIL
  constexpr auto forward(auto a, auto b) const { return square(layer(a) - layer(b)); }
#else
  constexpr auto forward(auto a) const { return square(layer(a)); }
#endif
};
#ifdef SHOULD_FAIL
using Input = esp::shapes<esp::batch<2, 8>, esp::batch<2, 8>>;
#else
using Input = esp::batch<2, 8>;
#endif
auto f() { return esp::summary<Distance, Input>(); }
