// SPDX-License-Identifier: BSL-1.0
// expect: each device trains an equal part of a batch; the number of samples must be a multiple of the number of devices
// expect: batch_divides<
#include <espalier.hpp>
#include <espalier/simulated_cuda_parallel.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;
namespace optim = espalier::optim;
using Net = nn::Sequential<nn::Linear<8, 16>, nn::ReLU, nn::Linear<16, 4>>;

// Two devices train 16 samples each, or 17 and 16.
void train(esp::model<Net, esp::simulated_cuda_parallel<2>>& model, esp::tensor<float, esp::shape<33, 8>> const& images,
           esp::tensor<std::int32_t, esp::shape<33>> const& labels, esp::tensor<float, esp::shape<32, 8>> const& even,
           esp::tensor<std::int32_t, esp::shape<32>> const& even_labels) {
#ifdef SHOULD_FAIL
  esp::trainer trainer{model, nn::SoftmaxLoss{}, optim::Adam{}, esp::batch<33, 8>{}};
  trainer.step(images, labels);
#else
  esp::trainer trainer{model, nn::SoftmaxLoss{}, optim::Adam{}, esp::batch<32, 8>{}};
  trainer.step(even, even_labels);
#endif
  (void)images, (void)labels, (void)even, (void)even_labels;
}
