// SPDX-License-Identifier: BSL-1.0
// Training steps written as functions of models: compiled beside trainer where a trainer does the same, and steps of
// two models or with a derivative in the loss, as docs/examples/gan.cpp, actor_critic.cpp and differential_equation.cpp
// have them.
#include "functions.hpp"

#include <espalier/eager/compiled.hpp>
#include <espalier/model/trainer.hpp>
#include <espalier/model/updater.hpp>
#include <espalier/nn/nn.hpp>
#include <espalier/optim/adam.hpp>
#include <espalier/optim/sgd.hpp>

#include <algorithm>
#include <memory>
#include <tuple>
#include <type_traits>
#include <utility>

namespace esp = espalier;
namespace nn = espalier::nn;
namespace optim = espalier::optim;

namespace {

using namespace bench;
template <int... Extent>
using numbers = esp::view<float const, esp::shape<Extent...>>;
using number = esp::tensor<float, esp::shape<>>;

void load(auto& model, float* const*& from) {
  model.for_each_parameter(
      [&](char const*, esp::extents const&, esp::span<float> p) { std::copy_n(*from++, p.size(), p.begin()); });
}
void store(auto& model, float*& to) {
  model.for_each_parameter(
      [&](char const*, esp::extents const&, esp::span<float> p) { to = std::copy_n(p.begin(), p.size(), to); });
}

/// What a row of function_rows() is made of: State{operands} has step() and write(losses, parameters).
template <class State>
work stepped(operands o) {
  auto const s = std::make_shared<State>(o);
  return {repeated([=] { s->step(); }),
          [=] {
            for (int i = 1; i < steps_compared; ++i) s->step();
            s->write(o.out[0], o.out[1]);
          },
          seconds_in_blocks([=] { s->step(); })};
}
template <class State>
struct step_row {
  row what;
  implementation own;
  explicit step_row(function_row const& r)
      : what{r.name, r.in(), r.out(), 0, 0}, own{r.name, "espalier", stepped<State>} {}
};

// A generator and a discriminator, each with its updater.
using Generator = nn::Sequential<nn::Linear<64, 128>, nn::ReLU, nn::Linear<128, 64>, nn::Tanh>;
using Discriminator = nn::Sequential<nn::Linear<64, 128>, nn::LeakyReLU<0.2>, nn::Linear<128, 1>>;
inline constexpr auto discriminator_loss = [](auto discriminator, auto real, auto generated) {
  return mean(softplus(-discriminator(real))) + mean(softplus(discriminator(generated)));
};
inline constexpr auto generator_loss = [](auto generator, auto discriminator, auto z) {
  return mean(softplus(-discriminator(generator(z))));
};
inline constexpr auto gan_step = [](auto generator, auto by_generator, auto discriminator, auto by_discriminator,
                                    auto x, auto z) {
  auto const [d, d_gradients] = esp::value_and_grad<0>(discriminator_loss)(discriminator, x, generator(z));
  by_discriminator.update(discriminator, d_gradients);
  auto const [g, g_gradients] = esp::value_and_grad<0>(generator_loss)(generator, discriminator, z);
  by_generator.update(generator, g_gradients);
  return std::tuple{d, g};
};
struct gan {
  static constexpr optim::Adam adam{.learning_rate = 1e-3f, .beta1 = 0.5f};
  operands o;
  esp::model<Generator> generator{esp::seed{1}};
  esp::model<Discriminator> discriminator{esp::seed{2}};
  optim::updater<esp::model<Generator>, optim::Adam> by_generator{generator, adam};
  optim::updater<esp::model<Discriminator>, optim::Adam> by_discriminator{discriminator, adam};
  numbers<64, 64> x{o.in[0]}, z{o.in[1]};
  number d, g;
  decltype(esp::compiled{gan_step, generator, by_generator, discriminator, by_discriminator, x, z}) run{
      gan_step, generator, by_generator, discriminator, by_discriminator, x, z};
  explicit gan(operands in) : o{in} {
    float* const* from = o.in + 2;
    load(generator, from), load(discriminator, from);
  }
  void step() { run(x, z, d, g); }
  void write(float* losses, float* parameters) {
    losses[0] = d[0], losses[1] = g[0];
    store(generator, parameters), store(discriminator, parameters);
  }
};

// Deep deterministic policy gradient: two nets, their slow copies, two updaters.
using Actor = nn::Sequential<nn::Linear<3, 64>, nn::ReLU, nn::Linear<64, 64>, nn::ReLU, nn::Linear<64, 1>, nn::Tanh>;
using Critic = nn::Sequential<nn::Linear<4, 64>, nn::ReLU, nn::Linear<64, 64>, nn::ReLU, nn::Linear<64, 1>>;
inline constexpr auto critic_loss = [](auto critic, auto x, auto value) { return mean(square(critic(x) - value)); };
inline constexpr auto actor_loss = [](auto actor, auto critic, auto x) {
  return -mean(critic(concatenate<1>(x, actor(x))));
};
inline constexpr auto actor_critic_step = [](auto actor, auto critic, auto slow_actor, auto slow_critic, auto by_actor,
                                             auto by_critic, auto state, auto torque, auto reward, auto next) {
  auto const value = reward + 0.98f * slow_critic(concatenate<1>(next, slow_actor(next)));
  auto const [loss, gradients] = esp::value_and_grad<0>(critic_loss)(critic, concatenate<1>(state, torque), value);
  by_critic.update(critic, gradients);
  by_actor.update(actor, esp::grad<0>(actor_loss)(actor, critic, state));
  update_average(slow_critic, critic, 0.99f);
  update_average(slow_actor, actor, 0.99f);
  return loss;
};
struct actor_critic {
  operands o;
  esp::model<Actor> actor{esp::seed{1}}, slow_actor{esp::seed{1}};
  esp::model<Critic> critic{esp::seed{2}}, slow_critic{esp::seed{2}};
  optim::updater<esp::model<Actor>, optim::Adam> by_actor{actor, optim::Adam{}};
  optim::updater<esp::model<Critic>, optim::Adam> by_critic{critic, optim::Adam{}};
  numbers<100, 3> state{o.in[0]};
  numbers<100, 1> torque{o.in[1]}, reward{o.in[2]};
  numbers<100, 3> next{o.in[3]};
  number loss;
  decltype(esp::compiled{actor_critic_step, actor, critic, slow_actor, slow_critic, by_actor, by_critic, state, torque,
                         reward, next}) run{actor_critic_step, actor, critic, slow_actor, slow_critic, by_actor,
                                            by_critic,         state, torque, reward,     next};
  explicit actor_critic(operands in) : o{in} {
    float* const* from = o.in + 4;
    load(actor, from), load(critic, from);
    from = o.in + 4;
    load(slow_actor, from), load(slow_critic, from);
  }
  void step() { run(state, torque, reward, next, loss); }
  void write(float* losses, float* parameters) {
    losses[0] = loss[0];
    store(actor, parameters), store(critic, parameters);
    store(slow_actor, parameters), store(slow_critic, parameters);
  }
};

// A damped spring: the loss has the second derivative of the net.
using Spring = nn::Sequential<nn::Linear<1, 32>, nn::Tanh, nn::Linear<32, 32>, nn::Tanh, nn::Linear<32, 32>, nn::Tanh,
                              nn::Linear<32, 1>>;
inline constexpr auto position = [](auto net, auto t) { return 1 + t * t * net(t - 1.5f); };
inline constexpr auto positions = [](auto net, auto t) { return sum(position(net, t)); };
inline constexpr auto velocity = [](auto net, auto t) { return esp::grad<1>(positions)(net, t); };
inline constexpr auto velocities = [](auto net, auto t) { return sum(velocity(net, t)); };
inline constexpr auto acceleration = [](auto net, auto t) { return esp::grad<1>(velocities)(net, t); };
inline constexpr auto equation_loss = [](auto net, auto t) {
  return mean(square(acceleration(net, t) + 0.6f * velocity(net, t) + 4 * position(net, t)));
};
inline constexpr auto pinn_step = [](auto net, auto optimizer, auto t) {
  auto const [loss, gradients] = esp::value_and_grad<0>(equation_loss)(net, t);
  optimizer.update(net, gradients);
  return loss;
};
struct pinn {
  operands o;
  esp::model<Spring> net{esp::seed{0}};
  optim::updater<esp::model<Spring>, optim::Adam> by_adam{net, optim::Adam{}};
  numbers<256, 1> t{o.in[0]};
  number loss;
  decltype(esp::compiled{pinn_step, net, by_adam, t}) run{pinn_step, net, by_adam, t};
  explicit pinn(operands in) : o{in} {
    float* const* from = o.in + 1;
    load(net, from);
  }
  void step() { run(t, loss); }
  void write(float* losses, float* parameters) {
    losses[0] = loss[0];
    store(net, parameters);
  }
};

step_row<gan> const gan_row{function_row_of("function_step/gan")};
step_row<actor_critic> const actor_critic_row{function_row_of("function_step/actor_critic")};
step_row<pinn> const pinn_row{function_row_of("function_step/pinn")};

// A step of one model, by compiled and by trainer.
inline constexpr auto softmax_loss = [](auto net, auto x, auto labels) { return nn::SoftmaxLoss{}(net(x), labels); };
inline constexpr auto train = [](auto net, auto optimizer, auto x, auto labels) {
  auto const [value, gradients] = esp::value_and_grad<0>(softmax_loss)(net, x, labels);
  optimizer.update(net, gradients);
  return value;
};
template <class Net, class Optimizer, int Batch, bool Function>
struct one_model {
  operands o;
  Optimizer optimizer;
  esp::model<Net> net{esp::seed{0}};
  numbers<Batch, 784> x{o.in[0]};
  esp::view<std::int32_t const, esp::shape<Batch>> labels{o.labels(1)};
  number loss;
  struct by_function {
    optim::updater<esp::model<Net>, Optimizer> updater;
    decltype(esp::compiled{train, std::declval<esp::model<Net>&>(), std::declval<decltype(updater)&>(),
                           std::declval<numbers<Batch, 784>&>(), std::declval<decltype(labels)&>()}) run;
    explicit by_function(one_model& s) : updater{s.net, s.optimizer}, run{train, s.net, updater, s.x, s.labels} {}
    void step(one_model& s) { run(s.x, s.labels, s.loss); }
  };
  struct by_trainer {
    esp::trainer<esp::model<Net>, nn::SoftmaxLoss, Optimizer, esp::batch<Batch, 784>> trainer;
    explicit by_trainer(one_model& s) : trainer{s.net, nn::SoftmaxLoss{}, s.optimizer, esp::batch<Batch, 784>{}} {}
    void step(one_model& s) { s.loss[0] = trainer.step(s.x, s.labels); }
  };
  std::conditional_t<Function, by_function, by_trainer> by{*this};
  one_model(operands in, Optimizer how) : o{in}, optimizer{how} {
    float* const* from = o.in + 2;
    load(net, from);
  }
  void step() { by.step(*this); }
  void write(float* losses, float* parameters) {
    losses[0] = loss[0];
    store(net, parameters);
  }
};
template <class Net, class Optimizer, int Batch>
struct one_model_row {
  static std::vector<input> in() {
    std::vector<input> all{{std::size_t{Batch} * 784}, {Batch, 0, 0, 10}};
    esp::model<Net> model{esp::seed{0}};
    model.for_each_parameter([&](char const* name, esp::extents const& s, esp::span<float> p) {
      bool const gain = s.rank == 1 && std::string(name).ends_with("weight");
      float const range = s.rank == 2 ? 0.1f : 0.05f;
      all.push_back({static_cast<std::size_t>(p.size()), gain ? 0.8f : -range, gain ? 1.2f : range});
    });
    return all;
  }
  template <bool Function>
  static auto prepared(Optimizer how) {
    return [=](operands o) {
      auto const s = std::make_shared<one_model<Net, Optimizer, Batch, Function>>(o, how);
      return work{repeated([=] { s->step(); }), [=] {
                    for (int i = 1; i < steps_compared; ++i) s->step();
                    s->write(o.out[0], o.out[1]);
                  }};
    };
  }
  row what;
  implementation function, trainer;
  one_model_row(std::string const& name, Optimizer how)
      : what{name, in(), {{1, 1e-5}, {std::size_t{esp::model<Net>::parameter_count}, 1e-5}}, 0, 0},
        function{name, "espalier", prepared<true>(how)},
        trainer{name, "trainer", prepared<false>(how)} {}
};
one_model_row<nn::Sequential<nn::Linear<784, 128>, nn::ReLU, nn::Linear<128, 10>>, optim::SGD<>, 64> const mlp_row{
    "function_step/784-128-10", optim::SGD{.learning_rate = 0.01}};
one_model_row<nn::MLPResNet<784, 100, 3, 10>, optim::Adam, 100> const resnet_row{
    "function_step/mlp_resnet", optim::Adam{.learning_rate = 1e-3, .weight_decay = 1e-3}};

}  // namespace
