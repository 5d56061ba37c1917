// SPDX-License-Identifier: BSL-1.0
// A net learns the sine on the device, in static memory: batches of 16 angles, one step of Adam in each loop. Replace
// the sine by a sensor, and the net learns what it measures.
#include <espalier.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;

using Net = nn::Sequential<nn::Linear<1, 16>, nn::Tanh, nn::Linear<16, 1>>;
using Model = esp::model<Net>;
using batch = esp::batch<16, 1>;
using Trainer = esp::trainer<Model, nn::MeanSquaredError, esp::optim::Adam, batch>;

static esp::bytes<Model::bytes> model_memory;
static esp::bytes<Trainer::bytes> trainer_memory;
static esp::tensor<float, batch> angles;   // -1 to 1 stands for -pi to pi
static esp::tensor<float, esp::shape<16, 1>> sines;

static Model& model() {
  static Model made{esp::seed{0}, model_memory};
  return made;
}
static Trainer& trainer() {
  static Trainer made{trainer_memory, model(), nn::MeanSquaredError{}, esp::optim::Adam{.learning_rate = 1e-2f}, batch{}};
  return made;
}

void setup() {
  Serial.begin(115200);
}

void loop() {
  static int step = 0;
  for (int i = 0; i < 16; ++i) {
    angles(i, 0) = random(-1000, 1001) / 1000.0f;
    sines(i, 0) = sin(PI * angles(i, 0));
  }
  float const loss = trainer().step(angles, sines);
  if (++step % 200 == 0) {
    Serial.print(F("loss "));
    Serial.println(loss, 5);
  }
}
