// SPDX-License-Identifier: BSL-1.0
// expect: a layer does not fit its input
// expect: state_shape
#include <espalier/model/model.hpp>
#include <espalier/nn/nn.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;

using Net = nn::LSTM<3, 4>;
using state = esp::tensor<float, esp::shape<1, 2, 4>>;
#ifdef SHOULD_FAIL
using sequence = esp::tensor<float, esp::shape<5, 3, 3>>;
#else
using sequence = esp::tensor<float, esp::shape<5, 2, 3>>;
#endif

void f(esp::model<Net> const& model, sequence const& x, state const& h, state const& c) {
  auto const [y, next_h, next_c] = model(x, h, c);
}
