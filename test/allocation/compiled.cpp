// SPDX-License-Identifier: BSL-1.0
// A training step that is a compiled function allocates nothing after construction, whatever the number of its models,
// and does what a trainer does.
#define BOOST_TEST_MODULE allocation_compiled
#include <boost/test/unit_test.hpp>

#include <espalier.hpp>
#include <espalier/parallel.hpp>

#include "support/allocation_counter.hpp"

namespace esp = espalier;
namespace nn = espalier::nn;
namespace optim = espalier::optim;
using esp::shape, esp::tensor;
using espalier_test::allocations;

namespace {

// The course's net, narrower. Activations are too large for a stack, by chance or not.
using Net = nn::MLPResNet<784, 40, 2, 10>;

inline constexpr auto softmax_loss = [](auto net, auto x, auto labels) { return nn::SoftmaxLoss{}(net(x), labels); };
inline constexpr auto train = [](auto net, auto optimizer, auto x, auto labels) {
  auto const [loss, gradients] = esp::value_and_grad<0>(softmax_loss)(net, x, labels);
  optimizer.update(net, gradients);
  return loss;
};

/// Fills a tensor with numbers from -1 to 1.
void fill(auto& x, unsigned state) {
  for (auto& element : x.span()) {
    state = state * 1664525u + 1013904223u;
    element = static_cast<float>(state >> 8) * 0x1p-23f - 1;
  }
}

using Generator = nn::Sequential<nn::Linear<16, 96>, nn::ReLU, nn::Linear<96, 64>, nn::Tanh>;
using Discriminator = nn::Sequential<nn::Linear<64, 96>, nn::LeakyReLU<0.2>, nn::Linear<96, 1>>;
inline constexpr auto discriminator_loss = [](auto discriminator, auto real, auto generated) {
  return mean(softplus(-discriminator(real))) + mean(softplus(discriminator(generated)));
};
inline constexpr auto generator_loss = [](auto generator, auto discriminator, auto z) {
  return mean(softplus(-discriminator(generator(z))));
};
inline constexpr auto alternate = [](auto generator, auto by_generator, auto discriminator, auto by_discriminator,
                                     auto slow, auto x, auto z) {
  auto const [d, d_gradients] = esp::value_and_grad<0>(discriminator_loss)(discriminator, x, generator(z));
  by_discriminator.update(discriminator, d_gradients);
  auto const [g, g_gradients] = esp::value_and_grad<0>(generator_loss)(generator, discriminator, z);
  by_generator.update(generator, g_gradients);
  update_average(slow, generator, 0.9f);
  return std::tuple{d, g};
};

}  // namespace

BOOST_AUTO_TEST_CASE(a_step_of_one_model_is_that_of_a_trainer_and_allocates_nothing) {
  esp::model<Net> a{esp::seed{1}}, b{esp::seed{1}};
  optim::Adam const adam{.learning_rate = 1e-2, .weight_decay = 1e-3};
  tensor<float, shape<50, 784>> x;
  tensor<std::int32_t, shape<50>> labels;
  tensor<float, shape<>> loss;
  fill(x, 1);
  for (int i = 0; i < 50; ++i) labels[i] = i % 10;
  optim::updater updater{a, adam};
  esp::compiled step{train, a, updater, x, labels};
  esp::trainer trainer{b, nn::SoftmaxLoss{}, adam, esp::batch<50, 784>{}};
  float losses[5], expected[5];
  long const before = allocations();
  for (int i = 0; i < 5; ++i) {
    step(x, labels, loss);
    losses[i] = loss[0];
    expected[i] = trainer.step(x, labels);
  }
  long const after = allocations();
  BOOST_TEST(after == before);
  BOOST_TEST(losses[4] < 0.9f * losses[0]);
  for (int i = 0; i < 5; ++i) BOOST_TEST(losses[i] == expected[i], boost::test_tools::tolerance(1e-5f));
  float most = 0, largest = 0;
  for (std::int64_t i = 0; i < a.parameters().size(); ++i) {
    most = std::max(most, std::abs(a.parameters()[i] - b.parameters()[i]));
    largest = std::max(largest, std::abs(b.parameters()[i]));
  }
  BOOST_TEST(most <= 1e-4f * largest);
}

BOOST_AUTO_TEST_CASE(a_step_of_two_models_with_an_average_allocates_nothing) {
  esp::model<Generator> generator{esp::seed{1}}, slow = generator.clone();
  esp::model<Discriminator> discriminator{esp::seed{2}};
  optim::updater by_generator{generator, optim::Adam{}};
  optim::updater by_discriminator{discriminator, optim::Adam{}};
  tensor<float, shape<64, 64>> x;
  tensor<float, shape<64, 16>> z;
  tensor<float, shape<>> d, g;
  fill(x, 1), fill(z, 2);
  esp::compiled step{alternate, generator, by_generator, discriminator, by_discriminator, slow, x, z};
  step(x, z, d, g);
  float const first = g[0];
  long const before = allocations();
  for (int i = 0; i < 20; ++i) step(x, z, d, g);
  long const after = allocations();
  BOOST_TEST(after == before);
  BOOST_TEST(g[0] < 0.9f * first);  // the generator learns faster
  BOOST_TEST(by_generator.steps() == 21);
}

// In memory of the user, the construction allocates nothing either, and the numbers are the same.
BOOST_AUTO_TEST_CASE(a_step_in_memory_of_the_user_never_allocates) {
  esp::model<Net> a{esp::seed{1}}, b{esp::seed{1}};
  tensor<float, shape<50, 784>> x;
  tensor<std::int32_t, shape<50>> labels;
  fill(x, 1);
  for (std::int32_t i = 0; i < 50; ++i) labels[i] = i % 10;
  optim::updater of_a{a, optim::Adam{}}, of_b{b, optim::Adam{}};
  esp::compiled step{train, a, of_a, x, labels};
  using Step = decltype(step);
  static_assert(Step::bytes >= Step::workspace_bytes && Step::bytes > 0);
  static esp::bytes<Step::bytes> room;
  for (unsigned char& each : room.at) each = 0xff;  // what was there before does not matter
  tensor<float, shape<>> of_step, of_own;
  auto const before = allocations();
  esp::compiled own{room, train, b, of_b, x, labels};
  for (int i = 0; i < 3; ++i) own(x, labels, of_own);
  BOOST_TEST(allocations() == before);
  static_assert(std::is_same_v<decltype(own), Step>);
  for (int i = 0; i < 3; ++i) step(x, labels, of_step);
  BOOST_TEST((of_own == of_step));
  BOOST_TEST(std::equal(a.parameters().begin(), a.parameters().end(), b.parameters().begin()));

  using Threads = decltype(esp::compiled{esp::cpu_parallel<2>{}, train, b, of_b, x, labels});
  static esp::bytes<Threads::bytes> room_of_threads;
  esp::compiled parallel{room_of_threads, esp::cpu_parallel<2>{}, train, b, of_b, x, labels};
  parallel(x, labels, of_own);
  step(x, labels, of_step);
  BOOST_TEST((of_own == of_step));
}

// A function of structs in memory of the user.
inline constexpr auto product_of_pair = [](auto pair) {
  auto const [a, b] = pair;
  return std::tuple{a * b, sum(a)};
};
BOOST_AUTO_TEST_CASE(a_function_of_structs_in_memory_of_the_user) {
  tensor<float, shape<64, 64>> x, y, product;
  fill(x, 1);
  fill(y, 2);
  tensor<float, shape<>> total;
  using Function = decltype(esp::compiled{product_of_pair, std::tie(x, y)});
  static esp::bytes<Function::bytes> room;
  auto const before = allocations();
  esp::compiled run{room, product_of_pair, std::tie(x, y)};
  run(std::tie(x, y), product, total);
  BOOST_TEST(allocations() == before);
  BOOST_TEST(product[5] == x[5] * y[5]);
}
