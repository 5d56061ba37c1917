// SPDX-License-Identifier: BSL-1.0
// A net that two graphics processors train together.
// With -DESPALIER_CUDA_PARALLEL on two NVIDIA processors; without, on simulated ones.
#include <espalier.hpp>
// [tag]
#if defined(ESPALIER_CUDA_PARALLEL)
#include <espalier/cuda_parallel.hpp>
using devices = espalier::cuda_parallel<2>;
#else
#include <espalier/simulated_cuda_parallel.hpp>
using devices = espalier::simulated_cuda_parallel<2>;
#endif
// [/tag]

#include <cmath>
#include <cstdio>

namespace esp = espalier;
namespace nn = espalier::nn;
namespace optim = espalier::optim;
using esp::shape, esp::tensor;

using Net = nn::Sequential<nn::Linear<16, 32>, nn::ReLU, nn::Linear<32, 4>>;

int main() try {
  tensor<float, shape<32, 16>> images;
  tensor<std::int32_t, shape<32>> labels;
  nn::init::fill(nn::init::uniform{}, images.span(), {.seed = 1});
  for (int i = 0; i < 32; ++i) labels[i] = i % 4;

  // [train]
  esp::model<Net, devices> model{esp::seed{0}};
  esp::trainer trainer{model, nn::SoftmaxLoss{}, optim::Adam{.learning_rate = 1e-2f}, esp::batch<32, 16>{}};
  float loss = 0;
  for (int step = 0; step < 20; ++step) loss = trainer.step(images, labels);  // 16 samples on each device

  esp::model<Net> host_model;
  copy(model, host_model);  // the numbers of device 0, for example to save them
  // [/train]

  esp::model<Net> one{esp::seed{0}};
  esp::trainer alone{one, nn::SoftmaxLoss{}, optim::Adam{.learning_rate = 1e-2f}, esp::batch<32, 16>{}};
  float expected = 0;
  for (int step = 0; step < 20; ++step) expected = alone.step(images, labels);
  std::printf("loss %.5f on two devices, %.5f on one\n", static_cast<double>(loss), static_cast<double>(expected));
  float const score = host_model(images)[7], expected_score = one(images)[7];
  return std::fabs(loss - expected) < 1e-3f && std::fabs(score - expected_score) < 1e-2f ? 0 : 1;
} catch (esp::cuda_error const& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 77;
}
