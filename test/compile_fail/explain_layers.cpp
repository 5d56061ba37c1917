// SPDX-License-Identifier: BSL-1.0
// expect: a layer does not fit its input
// expect: Linear<64, 10
// expect: (espalier::)?inner_dimensions<(espalier::)?shape<32, 81>, (espalier::)?shape<64, 10> ?>
// expect-early: shape<32, 81>
// expect-early: shape<64, 10>
// expect-early: layer<1, 2>
#include <espalier.hpp>
#include <espalier/report/explain.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;

using Net = nn::Sequential<nn::Flatten, nn::Linear<64, 10>>;

#ifdef SHOULD_FAIL
std::string f() {
  return esp::explain<esp::trainer<esp::model<Net>, nn::SoftmaxLoss, esp::optim::Adam, esp::batch<32, 9, 9>>>();
}
#else
std::string f() {
  return esp::explain<esp::trainer<esp::model<Net>, nn::SoftmaxLoss, esp::optim::Adam, esp::batch<32, 8, 8>>>();
}
#endif
