// SPDX-License-Identifier: BSL-1.0
// expect: a layer does not fit its input
// expect: GRU<8
// expect-early: state_shape<
// expect-early: shape<2, 6>
#include <espalier/model/predictor.hpp>
#include <espalier/nn/nn.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;

#ifdef SHOULD_FAIL
using State = esp::shape<2, 6>;
#else
using State = esp::shape<1, 2, 6>;
#endif

auto f(esp::model<nn::GRU<8, 6>> const& model, esp::tensor<float, esp::shape<5, 2, 8>> const& x,
       esp::tensor<float, State> const& h) {
  return model(x, h);
}
