// SPDX-License-Identifier: BSL-1.0
// expect: model\{seed, x\}: x must be bytes \(esp::bytes<N> x\), the processes of a model<Net, distributed<>>
// expect: takes_after_seed<
#include <espalier.hpp>
#include <espalier/distributed.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;
using Net = nn::Sequential<nn::Linear<8, 16>, nn::ReLU, nn::Linear<16, 4>>;

void train(esp::processes& all) {
#ifdef SHOULD_FAIL
  esp::model<Net> model{esp::seed{1}, all};
#else
  esp::model<Net, esp::distributed<>> model{esp::seed{1}, all};
#endif
  (void)model.parameters();
}
