// SPDX-License-Identifier: BSL-1.0
// expect: a layer does not fit its input
// expect-early: shape<2, 7>
// expect-early: shape<8, 4>
#include <espalier.hpp>
#include <espalier/report/explain.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;

using Net = nn::Linear<8, 4>;

#ifdef SHOULD_FAIL
std::string f(esp::model<Net>& model) {
  return esp::explain(esp::trainer{model, nn::SoftmaxLoss{}, esp::optim::Adam{}, esp::batch<2, 7>{}});
}
#else
std::string f(esp::model<Net>& model) {
  return esp::explain(esp::trainer{model, nn::SoftmaxLoss{}, esp::optim::Adam{}, esp::batch<2, 8>{}});
}
#endif
