// SPDX-License-Identifier: BSL-1.0
// The same training on one thread and on two, and what each took. The numbers are the same bits.
#include <espalier.hpp>
#include <espalier/parallel.hpp>

#include <chrono>
#include <cstdio>

namespace esp = espalier;
namespace nn = espalier::nn;
namespace optim = espalier::optim;

using Net = nn::Sequential<nn::Flatten, nn::Linear<784, 512>, nn::LayerNorm1d<512>, nn::ReLU, nn::Linear<512, 512>,
                           nn::ReLU, nn::Linear<512, 10>>;
using batch = esp::batch<256, 28, 28>;

struct normalized {
  constexpr auto operator()(auto x) const {
    auto const centered = x - mean<1>(x, esp::keepdims);
    return centered / sqrt(mean<1>(centered * centered, esp::keepdims) + 1e-5f);
  }
};

namespace {

using milliseconds = std::chrono::duration<double, std::milli>;

template <class Device>
float train(char const* name) {
  static esp::tensor<float, batch> images;
  static esp::tensor<std::int32_t, esp::shape<256>> labels;
  nn::init::fill(nn::init::uniform{}, images.span(), {.seed = 1});
  for (int i = 0; i < 256; ++i) labels[i] = i % 10;

  // [model]
  esp::model<Net, Device> model{esp::seed{0}};  // Device: esp::cpu, or esp::cpu_parallel<2>
  esp::trainer trainer{model, nn::SoftmaxLoss{}, optim::Adam{}, batch{}};
  // [/model]

  float loss = 0;
  double best = 1e9;
  for (int step = 0; step < 8; ++step) {
    auto const begin = std::chrono::steady_clock::now();
    loss = trainer.step(images, labels);
    double const elapsed = milliseconds(std::chrono::steady_clock::now() - begin).count();
    best = elapsed < best ? elapsed : best;
  }
  std::printf("%-11s  loss %.6f, a step in %.2f ms\n", name, static_cast<double>(loss), best);
  return loss;
}

}  // namespace

int main() {
  float const alone = train<esp::cpu>("one thread");
  float const together = train<esp::cpu_parallel<2>>("two threads");

  esp::tensor<float, esp::shape<2048, 1024>> x, y, expected;
  nn::init::fill(nn::init::uniform{}, x.span(), {.seed = 2});
  // [compiled]
  esp::compiled normalize{esp::cpu_parallel<2>{}, normalized{}, x};
  normalize(x, y);
  // [/compiled]
  esp::compiled{normalized{}, x}(x, expected);
  return alone == together && y == expected ? 0 : 1;
}
