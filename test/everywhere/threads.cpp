// SPDX-License-Identifier: BSL-1.0
// Threads compute the same bits as one thread.
#include <espalier.hpp>
#include <espalier/parallel.hpp>

#include <cstring>

#include "expect.hpp"

namespace esp = espalier;
namespace nn = espalier::nn;

using Net = nn::Sequential<nn::Linear<64, 128>, nn::LayerNorm1d<128>, nn::Tanh, nn::Linear<128, 10>>;
using batch = esp::batch<64, 64>;

template <class Device>
static std::uint64_t train(Device device, float& loss) {
  esp::model<Net, Device> model{esp::seed{0}};
  esp::trainer trainer{model, nn::SoftmaxLoss{}, esp::optim::SGD<>{.learning_rate = 0.1f}, batch{}};
  static esp::tensor<float, batch> x;
  static esp::tensor<std::int32_t, esp::shape<64>> y;
  for (int i = 0; i < 64 * 64; ++i) x.data()[i] = static_cast<float>(i * 37 % 101) / 50 - 1;
  for (int i = 0; i < 64; ++i) y.data()[i] = i % 10;
  everywhere::bits_hash hash;
  for (int step = 0; step < 30; ++step) hash.add(loss = trainer.step(x, y));
  (void)device;
  return hash.value();
}

int main() {
  everywhere::report to;
  float one = 0, two = 0;
  bool const same = train(esp::cpu{}, one) == train(esp::cpu_parallel<2>{}, two);
  to.check(same && one < 2.3f, "two threads train like one");
  return to.finish();
}
