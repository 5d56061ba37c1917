// SPDX-License-Identifier: BSL-1.0
// One use of the digits net, as PART names it, in static memory: everywhere.py --sizes compares the images.
//   0  nothing   1  a predictor of constant weights   2  a frozen net   3  training with SGD   4  with Adam
#include <espalier.hpp>
#include <espalier/model/embedded.hpp>
#include <espalier/model/frozen.hpp>
#include <espalier/model/memory_of.hpp>

#include "../../docs/examples/support/digits_net.hpp"
#include "../../docs/examples/support/digits_weights.hpp"

namespace esp = espalier;
namespace nn = espalier::nn;

// The processor's ports, for the compiler: what it reads is unknown, what it writes is needed.
static float volatile input;
static float volatile output;

#if PART == 1 || PART == 2
using picture = esp::batch<1, 8, 8>;
static constexpr esp::read_only_model<DigitsNet, digits_weights> trained;
#if PART == 1
using Net = esp::predictor<decltype(trained), picture>;
#else
using Net = esp::frozen<decltype(trained), picture>;
#endif
static esp::bytes<Net::bytes> room;
static_assert(esp::memory_of<decltype(trained), Net>.ram_bytes == sizeof room + sizeof(Net));
static esp::tensor<float, picture> x;
static esp::tensor<float, esp::shape<1, 10>> scores;

int main() {
  Net net{trained, picture{}, room};
  for (int i = 0; i < 64; ++i) x.data()[i] = input;
  net(x, scores);
  for (int i = 0; i < 10; ++i) output = scores.data()[i];
}
#elif PART == 3 || PART == 4
using batch = esp::batch<8, 8, 8>;
using Model = esp::model<DigitsNet>;
#if PART == 3
using Rule = esp::optim::SGD<>;
#else
using Rule = esp::optim::Adam;
#endif
using Trainer = esp::trainer<Model, nn::SoftmaxLoss, Rule, batch>;
static esp::bytes<Model::bytes> model_room;
static esp::bytes<Trainer::bytes> room;
// [memory]
static_assert(esp::memory_of<Model, Trainer>.ram_bytes <= 26 * 1024);  // without what you pass to a step
// [/memory]
static_assert(esp::memory_of<Model, Trainer>.ram_bytes ==
              sizeof model_room + sizeof room + sizeof(Model) + sizeof(Trainer));
static esp::tensor<float, batch> x;
static esp::tensor<std::int32_t, esp::shape<8>> y;

int main() {
  Model model{esp::seed{0}, model_room};
  Trainer trainer{room, model, nn::SoftmaxLoss{}, Rule{}, batch{}};
  for (int i = 0; i < 512; ++i) x.data()[i] = input;
  output = trainer.step(x, y);
}
#else
int main() { output = input; }
#endif
