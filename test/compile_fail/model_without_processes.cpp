// SPDX-License-Identifier: BSL-1.0
// expect: model<Net, distributed<>> m\{seed\}: pass the processes that train together
// expect: begins_alone<
#include <espalier.hpp>
#include <espalier/distributed.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;
using Net = nn::Sequential<nn::Linear<8, 16>, nn::ReLU, nn::Linear<16, 4>>;

void train([[maybe_unused]] esp::processes& all) {
#ifdef SHOULD_FAIL
  esp::model<Net, esp::distributed<>> model{esp::seed{1}};
#else
  esp::model<Net, esp::distributed<>> model{esp::seed{1}, all};
#endif
  (void)model.parameters();
}
