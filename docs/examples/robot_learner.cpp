// SPDX-License-Identifier: BSL-1.0
// A robot's joint learns its own dynamics while it moves: an update each tick from what it remembers, everything in
// static storage, no heap at all.
//   robot_learner [FILE]    with FILE, compares what it prints with that file
#include <espalier.hpp>

#include <cmath>

#include "../../test/support/allocation_counter.hpp"
#include "support/recorded.hpp"

namespace esp = espalier;
namespace nn = espalier::nn;
// Sine and cosine of the angle, velocity and the motor's torque -> acceleration.
using Net = nn::Sequential<nn::Linear<4, 16>, nn::Tanh, nn::Linear<16, 16>, nn::Tanh, nn::Linear<16, 1>>;
using Model = esp::model<Net>;
using Trainer = esp::trainer<Model, nn::MeanSquaredError, esp::optim::Adam, esp::batch<16, 4>>;
using Predictor = esp::predictor<Model, esp::batch<1, 4>>;

// The linker knows the memory of the whole learner.
esp::bytes<Model::bytes> model_room;
esp::bytes<Trainer::bytes> trainer_room;
esp::bytes<Predictor::bytes> predictor_room;
struct remembered {
  float state[4], acceleration;
} memory[1024];
constexpr int most = 32 * 1024;  // what kernels pack depends on the processor
static_assert(sizeof model_room + sizeof trainer_room + sizeof predictor_room + sizeof memory <= most);

int main(int count, char** words) {
  long const before = espalier_test::allocations();
  Model model{esp::seed{0}, model_room};
  Trainer trainer{trainer_room, model, nn::MeanSquaredError{}, esp::optim::Adam{.learning_rate = 2e-3f},
                  esp::batch<16, 4>{}};
  Predictor predict{model, esp::batch<1, 4>{}, predictor_room};
  esp::tensor<float, esp::shape<16, 4>> states;
  esp::tensor<float, esp::shape<16, 1>> accelerations;
  esp::tensor<float, esp::shape<1, 1>> expected;
  float angle = 0.5f, velocity = 0, error[3]{}, size[3]{};  // of the first second, of two minutes, and of the last one
  for (int tick = 0; tick < 18000; ++tick) {
    float const seconds = 0.01f * static_cast<float>(tick),
                torque = 6 * std::sin(1.3f * seconds) + 3 * std::sin(4.1f * seconds);
    // The joint itself, which the net is not told of: gravity, friction that grows with speed, and a motor.
    float const acceleration = -9.81f * std::sin(angle) - 0.4f * velocity * std::fabs(velocity) + torque;
    remembered const now{{std::sin(angle), std::cos(angle), 0.2f * velocity, 0.1f * torque}, 0.1f * acceleration};
    predict(esp::view<float const, esp::shape<1, 4>>(now.state), expected);
    int const part = tick < 100 ? 0 : tick < 12000 ? 1 : 2;
    error[part] += std::fabs(expected[0] - now.acceleration), size[part] += std::fabs(now.acceleration);
    velocity += 0.01f * acceleration, angle += 0.01f * velocity;
    memory[tick % 1024] = now;
    for (int i = 0; i < 16; ++i) {
      remembered const& then = memory[(tick * 37 + i * 61) % (tick < 1024 ? tick + 1 : 1024)];
      for (int k = 0; k < 4; ++k) states(i, k) = then.state[k];
      accelerations[i] = then.acceleration;
    }
    trainer.step(states, accelerations);
  }
  long const made = espalier_test::allocations() - before;
  examples::recorded out;
  out.print("bytes of static storage: at most %d\n", most);
  out.print("allocations: %ld\nerror above 20 percent in the first second, below 5 in the last minute: %s\n", made,
            error[0] > 0.2f * size[0] && error[2] < 0.05f * size[2] ? "yes" : "no");
  return made == 0 ? out.finish(count, words) : 1;
}
