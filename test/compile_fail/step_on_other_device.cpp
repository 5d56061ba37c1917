// SPDX-License-Identifier: BSL-1.0
// expect: trainer.step\(images, targets\): the tensor is in the memory of another device; pass a tensor on the host or on the model's device
// expect-26: or on the model's device; computing on cpu, got tensors of simulated_cuda and cpu
#include <espalier.hpp>
#include <espalier/simulated_cuda.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;
namespace optim = espalier::optim;
using Net = nn::Sequential<nn::Flatten, nn::Linear<64, 10>>;

#ifdef SHOULD_FAIL
using Images = esp::tensor<float, esp::shape<32, 8, 8>, esp::simulated_cuda>;
#else
using Images = esp::tensor<float, esp::shape<32, 8, 8>>;
#endif

void f(esp::model<Net>& model, Images const& images, esp::tensor<std::int32_t, esp::shape<32>> const& labels) {
  esp::trainer trainer{model, nn::SoftmaxLoss{}, optim::Adam{}, esp::batch<32, 8, 8>{}};
  trainer.step(images, labels);
}
