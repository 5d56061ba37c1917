// SPDX-License-Identifier: BSL-1.0
// expect: a layer does not fit its input
// expect: Counting
// expect: same_or_broadcast<(espalier::)?shape<8>, (espalier::)?shape<4> ?>
// expect-early: shape<8>
// expect-early: shape<4>
#include <espalier/model/predictor.hpp>
#include <espalier/nn/nn.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;

#ifdef SHOULD_FAIL
struct Counting {
  esp::buffer<esp::shape<8>, nn::init::initialized_by<nn::init::zeros{}>> seen{};
  ESPALIER_MODULE(Counting, seen)
  constexpr auto forward(auto x) const { return esp::with_update(x, seen, seen + mean<1>(x)); }
};
#else
struct Counting {
  esp::buffer<esp::shape<8>, nn::init::initialized_by<nn::init::zeros{}>> seen{};
  ESPALIER_MODULE(Counting, seen)
  constexpr auto forward(auto x) const { return esp::with_update(x, seen, seen + mean<0>(x)); }
};
#endif

auto f(esp::model<Counting> const& model, esp::tensor<float, esp::shape<4, 8>> const& x) { return model(x); }
