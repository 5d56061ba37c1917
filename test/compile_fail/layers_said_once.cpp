// SPDX-License-Identifier: BSL-1.0
// expect: a layer does not fit its input
// expect-early: inner_dimensions<(espalier::)?shape<32, 32>, (espalier::)?shape<16, 10> ?>
// expect-early: layer<2, 3>
#include <espalier.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;

#ifdef SHOULD_FAIL
using Net = nn::Sequential<nn::Flatten, nn::Linear<64, 32>, nn::Linear<16, 10>>;
#else
using Net = nn::Sequential<nn::Flatten, nn::Linear<64, 32>, nn::Linear<32, 10>>;
#endif

static_assert(esp::output_shape<Net, esp::shape<32, 8, 8>> == esp::shape<32, 10>{});
void f(esp::model<Net>& model, esp::tensor<float, esp::shape<32, 8, 8>> const& images,
       esp::tensor<std::int32_t, esp::shape<32>> const& labels) {
  esp::trainer trainer{model, nn::SoftmaxLoss{}, esp::optim::Adam{}, esp::batch<32, 8, 8>{}};
  esp::predictor predict{model, esp::batch<32, 8, 8>{}};
  trainer.step(images, labels);
  auto const scores = model(images);
  static_cast<void>(scores);
}
