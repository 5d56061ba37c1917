// SPDX-License-Identifier: BSL-1.0
// expect: predictor\(x, scores\): x must be 1 to N samples of the predictor's batch
// expect-early: shape<-1000000064, 8, 8>
#include <espalier/nn/nn.hpp>
#include <espalier/up_to.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;
using Net = nn::Sequential<nn::Flatten, nn::Linear<64, 10>>;
using batch = esp::batch<esp::up_to<64>, 8, 8>;

#ifdef SHOULD_FAIL
void f(esp::predictor<esp::model<Net>, batch>& classify, esp::tensor<float, esp::shape<65, 8, 8>> const& x,
       esp::tensor<float, esp::shape<65, 10>>& scores) {
  classify(x, scores);
}
#else
void f(esp::predictor<esp::model<Net>, batch>& classify, esp::tensor<float, esp::shape<64, 8, 8>> const& x,
       esp::tensor<float, esp::shape<64, 10>>& scores) {
  classify(x, scores);
}
#endif
