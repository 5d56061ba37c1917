// SPDX-License-Identifier: BSL-1.0
// expect: a layer does not fit its input
// expect: LSTM<8
// expect-early: state_values<2, 1>
#include <espalier/model/predictor.hpp>
#include <espalier/nn/nn.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;

auto f(esp::model<nn::LSTM<8, 6>> const& model, esp::tensor<float, esp::shape<5, 2, 8>> const& x,
       esp::tensor<float, esp::shape<1, 2, 6>> const& h) {
#ifdef SHOULD_FAIL
  return model(x, h);
#else
  return model(x, h, h);
#endif
}
