// SPDX-License-Identifier: BSL-1.0
// expect: a layer does not fit its input
// expect: Halves
// expect: same_shape<(espalier::)?shape<8>, (espalier::)?shape<4> ?>
// expect-early: shape<8>
// expect-early: shape<4>
#include <espalier/model/predictor.hpp>
#include <espalier/nn/nn.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;

#ifdef SHOULD_FAIL
struct Halves {
  ESPALIER_MODULE(Halves)
  constexpr auto forward(auto x) const { return esp::by_mode(sum<0>(x), sum<1>(x)); }
};
#else
struct Halves {
  ESPALIER_MODULE(Halves)
  constexpr auto forward(auto x) const { return esp::by_mode(sum<0>(x), max<0>(x)); }
};
#endif

auto f(esp::model<Halves> const& model, esp::tensor<float, esp::shape<4, 8>> const& x) { return model(x); }
