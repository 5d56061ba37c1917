// SPDX-License-Identifier: BSL-1.0
// Prints how many instructions nets take on a Cortex-M7: everywhere.py --instructions runs it in qemu, where an
// instruction is a nanosecond (-icount shift=0). The processor's timer counts 25 MHz.
#include <espalier.hpp>
#include <espalier/model/frozen.hpp>
#include <espalier/model/quantized.hpp>

#include <cstdint>
#include <cstdio>

namespace esp = espalier;
namespace nn = espalier::nn;

namespace {
using Digits = nn::Sequential<nn::Flatten, nn::Linear<64, 16>, nn::BatchNorm1d<16>, nn::ReLU, nn::Linear<16, 10>>;
using Controller = nn::Sequential<nn::Linear<13, 64>, nn::Tanh, nn::Linear<64, 64>, nn::Tanh, nn::Linear<64, 4>>;
using Rectified = nn::Sequential<nn::Linear<13, 64>, nn::ReLU, nn::Linear<64, 64>, nn::ReLU, nn::Linear<64, 4>>;
using picture = esp::batch<1, 8, 8>;
using pictures = esp::batch<8, 8, 8>;
using state = esp::batch<1, 13>;

auto* const control = reinterpret_cast<unsigned volatile*>(0xE000E010);
auto* const reload = reinterpret_cast<unsigned volatile*>(0xE000E014);
auto* const current = reinterpret_cast<unsigned volatile*>(0xE000E018);
constexpr unsigned ticks = 0xffffff, instructions_per_tick = 40;

/// The instructions of one call of f. All calls together must fit the timer: 600 million instructions.
template <class F>
unsigned count(unsigned calls, F f) {
  f();
  *reload = ticks;
  *current = 0;
  *control = 5;
  while (*current == 0) {}
  unsigned const begin = *current;
  for (unsigned i = 0; i < calls; ++i) f();
  unsigned const end = *current;
  return ((begin - end) & ticks) * instructions_per_tick / calls;
}
}  // namespace

extern "C" void initialise_monitor_handles();

int main() {
  initialise_monitor_handles();
  static esp::model<Digits> digits{esp::seed{0}};
  static esp::model<Controller> controller{esp::seed{0}};
  static esp::predictor predictor{digits, picture{}};
  static esp::frozen frozen{digits, picture{}};
  static esp::frozen frozen_controller{controller, state{}};
  static esp::model<Rectified> rectified{esp::seed{0}};
  static esp::frozen frozen_rectified{rectified, state{}};
  static esp::quantized quantized{rectified, esp::activation_ranges<3>{{-1, 1}, {0, 1}, {0, 1}}, state{}};
  static esp::trainer trainer{digits, nn::SoftmaxLoss{}, esp::optim::SGD<>{}, pictures{}};
  static esp::tensor<float, pictures> x;
  static esp::tensor<std::int32_t, esp::shape<8>> labels;
  static esp::tensor<float, esp::shape<1, 10>> scores;
  static esp::tensor<float, esp::shape<1, 4>> controls;
  for (int i = 0; i < 512; ++i) x.data()[i] = static_cast<float>(i % 13) / 13;
  esp::view<float const, picture> const one{x.data()};
  esp::view<float const, state> const observed{x.data()};
  std::printf("predictor of 64-16-10: %u\n", count(100, [&] { predictor(one, scores); }));
  std::printf("frozen 64-16-10: %u\n", count(100, [&] { frozen(one, scores); }));
  std::printf("frozen 13-64-64-4 with tanh: %u\n", count(100, [&] { frozen_controller(observed, controls); }));
  std::printf("frozen 13-64-64-4 with ReLU: %u\n", count(100, [&] { frozen_rectified(observed, controls); }));
  std::printf("the same in integers of 8 bits: %u\n", count(100, [&] { quantized(observed, controls); }));
  std::printf("step of 64-16-10 with SGD, batch of 8: %u\n", count(20, [&] { trainer.step(x, labels); }));
  std::printf("everywhere: all right\n");
}
