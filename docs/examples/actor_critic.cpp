// SPDX-License-Identifier: BSL-1.0
// Reinforcement learning (DDPG): a pendulum, whose motor is too weak to lift it, learns to swing up and to stay there.
#include <espalier.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <random>
#include <tuple>
#include <vector>

namespace esp = espalier;
namespace nn = espalier::nn;

// The actor: cosine and sine of the angle, and velocity -> torque from -1 to 1. The critic: state and torque -> the sum
// of all later rewards, each counted 0.98 of the one before.
using Actor = nn::Sequential<nn::Linear<3, 64>, nn::ReLU, nn::Linear<64, 64>, nn::ReLU, nn::Linear<64, 1>, nn::Tanh>;
using Critic = nn::Sequential<nn::Linear<4, 64>, nn::ReLU, nn::Linear<64, 64>, nn::ReLU, nn::Linear<64, 1>>;

inline constexpr auto critic_loss = [](auto critic, auto x, auto value) { return mean(square(critic(x) - value)); };
inline constexpr auto actor_loss = [](auto actor, auto critic, auto x) {
  return -mean(critic(concatenate<1>(x, actor(x))));
};
inline constexpr auto train = [](auto actor, auto critic, auto slow_actor, auto slow_critic, auto by_actor,
                                 auto by_critic, auto state, auto torque, auto reward, auto next) {
  auto const value = reward + 0.98f * slow_critic(concatenate<1>(next, slow_actor(next)));
  auto const [loss, gradients] = esp::value_and_grad<0>(critic_loss)(critic, concatenate<1>(state, torque), value);
  by_critic.update(critic, gradients);
  by_actor.update(actor, esp::grad<0>(actor_loss)(actor, critic, state));
  // The value is a target that moves with the nets. It moves slowly, or training is unstable.
  update_average(slow_critic, critic, 0.99f);
  update_average(slow_actor, actor, 0.99f);
  return loss;
};

struct pendulum {
  float angle, velocity = 0;  // the angle is 0 at the top, and from -pi to pi
  [[nodiscard]] std::array<float, 3> observed() const { return {std::cos(angle), std::sin(angle), velocity / 8}; }
  float step(float torque) {  // returns a reward: 0 at rest at the top, less than that elsewhere
    velocity = std::clamp(velocity + 0.05f * (15 * std::sin(angle) + 6 * torque), -8.0f, 8.0f);
    angle = std::remainder(angle + 0.05f * velocity, 6.2831853f);
    return -angle * angle - 0.1f * velocity * velocity - 0.004f * torque * torque;
  }
};
using memory = std::tuple<std::array<float, 3>, float, float, std::array<float, 3>>;  // state, torque, reward, next

int main() {
  esp::model<Actor> actor{esp::seed{1}}, slow_actor = actor.clone();
  esp::model<Critic> critic{esp::seed{2}}, slow_critic = critic.clone();
  esp::optim::updater by_actor{actor, esp::optim::Adam{}};
  esp::optim::updater by_critic{critic, esp::optim::Adam{}};
  esp::tensor<float, esp::shape<100, 3>> state, next;
  esp::tensor<float, esp::shape<100, 1>> torque, reward;
  esp::tensor<float, esp::shape<>> loss;
  esp::compiled learn{train, actor, critic, slow_actor, slow_critic, by_actor, by_critic, state, torque, reward, next};
  std::mt19937 random{3};
  std::vector<memory> memories;
  float rewards[6]{};  // of an episode, the mean of ten
  for (int episode = 0; episode < 60; ++episode) {
    pendulum p{std::uniform_real_distribution{-3.14f, 3.14f}(random)};
    for (int tick = 0; tick < 200; ++tick) {
      std::array const now = p.observed();
      float const best = actor(esp::view<float const, esp::shape<1, 3>>(now))[0];
      float const noise = episode < 50 ? std::normal_distribution{0.0f, 0.2f}(random) : 0;
      float const chosen = std::clamp(best + noise, -1.0f, 1.0f), got = p.step(chosen);
      memories.push_back({now, chosen, got, p.observed()});
      rewards[episode / 10] += got / 10;
      for (int n = 0; n < 100; ++n) {
        auto const& [then, pushed, received, after] = memories[random() % memories.size()];
        for (unsigned j = 0; j < 3; ++j) state(n, j) = then[j], next(n, j) = after[j];
        torque[n] = pushed, reward[n] = received;
      }
      if (memories.size() > 1000) learn(state, torque, reward, next, loss);
    }
  }
  std::printf("rewards of an episode: %.0f at first, %.0f in the end\n", double{rewards[0]}, double{rewards[5]});
  return rewards[5] > 0.5f * rewards[0] ? 0 : 1;  // both are negative
}
