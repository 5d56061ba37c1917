// SPDX-License-Identifier: BSL-1.0
// expect: a layer does not fit its input
// expect-early: branch<(32|4|1), 12>
// expect-early: input<(32|4|1), 16>
#include <espalier.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;

#ifdef SHOULD_FAIL
using Net = nn::Sequential<nn::Linear<8, 16>, nn::Residual<nn::Linear<16, 12>>>;
#else
using Net = nn::Sequential<nn::Linear<8, 16>, nn::Residual<nn::Linear<16, 16>>>;
#endif

static_assert(esp::output_shape<Net, esp::shape<4, 8>> == esp::shape<4, 16>{});
void f(esp::model<Net>& model) {
  esp::trainer trainer{model, nn::SoftmaxLoss{}, esp::optim::Adam{}, esp::batch<32, 8>{}};
  esp::frozen deployed{model, esp::batch<1, 8>{}};
}
