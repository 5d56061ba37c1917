// SPDX-License-Identifier: BSL-1.0
// The same net on this processor and on a graphics processor: expressions, gradients, training, and the way back.
// With -DESPALIER_CUDA on an NVIDIA processor; without, on a simulated one, thread by thread.
#include <espalier.hpp>
#include <espalier/data/prefetcher.hpp>
// [tag]
#if defined(ESPALIER_CUDA)
#include <espalier/cuda.hpp>
using device = espalier::cuda;
#else
#include <espalier/simulated_cuda.hpp>
using device = espalier::simulated_cuda;
#endif
// [/tag]

#include <cmath>
#include <cstdio>

namespace esp = espalier;
namespace data = espalier::data;
namespace nn = espalier::nn;
namespace optim = espalier::optim;
using esp::shape, esp::tensor;

using Net = nn::Sequential<nn::Linear<16, 32>, nn::LayerNorm1d<32>, nn::ReLU, nn::Dropout<0.1>, nn::Linear<32, 4>>;
using batch = esp::batch<32, 16>;

namespace {

bool close(float a, float b) { return std::fabs(a - b) <= 1e-4f * (1 + std::fabs(b)); }

// [train]
template <class Device>
float train(esp::model<Net, Device>& model, tensor<float, batch> const& images,
            tensor<std::int32_t, shape<32>> const& labels) {
  esp::trainer trainer{model, nn::SoftmaxLoss{}, optim::Adam{.learning_rate = 1e-2f}, batch{}};
  float loss = 0;
  for (int step = 0; step < 20; ++step) loss = trainer.step(images, labels);
  return loss;
}
// [/train]

// [prefetch]
float train_ahead(esp::model<Net, device>& model, data::samples<float, shape<16>> samples) {
  data::prefetcher batches{data::loader{samples, batch{}, data::shuffled{1}, data::drop_last}, device{}};
  esp::trainer trainer{model, nn::SoftmaxLoss{}, optim::Adam{.learning_rate = 1e-2f}, batch{}};
  for (int epoch = 0; epoch < 20; ++epoch)
    for (auto const& [images, labels] : batches.epoch(epoch)) trainer.step(images, labels, esp::queued{});
  auto const first = batches.epoch(0).begin();
  return trainer.step((*first).images, (*first).labels);
}
// [/prefetch]

}  // namespace

int main() try {
  tensor<float, batch> images;
  tensor<std::int32_t, shape<32>> labels;
  nn::init::fill(nn::init::uniform{}, images.span(), {.seed = 1});
  for (int i = 0; i < 32; ++i) labels[i] = i % 4;

  // [tensors]
  tensor<float, batch, device> x{images};               // a copy to the device
  tensor<float, batch, device> y = x * 2.0f + tanh(x);  // one kernel there
  tensor<float, batch> const result{y};                 // and back
  // [/tensors]
  tensor<float, batch> const expected = images * 2.0f + tanh(images);
  bool good = close(result[5], expected[5]);

  // [grad]
  auto const energy = [](auto v) { return sum(v * v) * 0.5f; };
  auto const gradient = esp::grad(energy)(x).to_host();  // the gradient of sum(x^2) / 2 is x
  // [/grad]
  good = good && close(gradient[7], images[7]);

  // [models]
  esp::model<Net> host_model{esp::seed{0}};
  esp::model<Net, device> device_model{esp::seed{0}};  // the same parameters, bit for bit
  float const loss = train(host_model, images, labels);
  float const same = train(device_model, images, labels);
  copy(device_model, host_model);  // parameters and buffers, for example to save them
  // [/models]
  std::printf("loss %.5f here, %.5f there\n", static_cast<double>(loss), static_cast<double>(same));

  esp::model<Net, device> model_ahead{esp::seed{0}};
  // 32 samples: each epoch has one batch, the same samples in another order
  float const ahead = train_ahead(model_ahead, {images.data(), labels.data(), 32});
  good = good && ahead < 1.3f;
  std::printf("loss %.5f with batches prepared ahead\n", static_cast<double>(ahead));

  // [narrow]
  esp::model<Net, device, esp::bfloat16> narrow;
  copy(host_model, narrow);  // every number rounded
  esp::trainer trainer{narrow, nn::SoftmaxLoss{}, optim::Adam{.learning_rate = 1e-4f}, batch{}};
  tensor<esp::bfloat16, batch> const narrow_images{images};
  float const narrow_loss = trainer.step(narrow_images, labels);
  // [/narrow]
  good = good && std::fabs(narrow_loss - same) < 0.5f;
  std::printf("loss %.5f in bfloat16\n", static_cast<double>(narrow_loss));

  // [scaled]
  esp::model<Net, device, esp::half> half_model;
  copy(host_model, half_model);
  auto const adam = optim::clip_by_norm{optim::Adam{.learning_rate = 1e-4f}, 1.0};
  esp::trainer scaled{half_model, nn::SoftmaxLoss{}, optim::scale_loss{adam}, batch{}};
  float const half_loss = scaled.step(tensor<esp::half, batch>{images}, labels);
  float const scale = scaled.loss_scale();  // 65,536 at first
  // [/scaled]
  good = good && std::fabs(half_loss - same) < 0.5f && scale == 65536 && scaled.steps() == 1;
  return good && close(loss, same) ? 0 : 1;
} catch (esp::cuda_error const& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 77;
}
