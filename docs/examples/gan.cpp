// SPDX-License-Identifier: BSL-1.0
// Two nets against each other: a generator learns to write digits, a discriminator to tell them from real ones.
#include <espalier.hpp>
#include <espalier/data/loader.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <random>
#include <set>

namespace esp = espalier;
namespace nn = espalier::nn;

// Noise -> pixels from -1 to 1, and pixels -> one number, positive for digits that look real.
using Generator = nn::Sequential<nn::Linear<64, 128>, nn::ReLU, nn::Linear<128, 64>, nn::Tanh>;
using Discriminator = nn::Sequential<nn::Flatten, nn::Linear<64, 128>, nn::LeakyReLU<0.2>, nn::Linear<128, 1>>;
using digits = esp::data::dataset<float, esp::shape<8, 8>>;

// softplus(-s) is -log(probability "real") for a score s, softplus(s) is -log(probability "generated").
inline constexpr auto discriminator_loss = [](auto discriminator, auto real, auto generated) {
  return mean(softplus(-discriminator(real))) + mean(softplus(discriminator(generated)));
};
inline constexpr auto generator_loss = [](auto generator, auto discriminator, auto z) {
  return mean(softplus(-discriminator(generator(z))));
};
// Both updates of a step are one program.
inline constexpr auto train = [](auto generator, auto by_generator, auto discriminator, auto by_discriminator, auto x,
                                 auto z) {
  auto const [d, d_gradients] = esp::value_and_grad<0>(discriminator_loss)(discriminator, x, generator(z));
  by_discriminator.update(discriminator, d_gradients);
  auto const [g, g_gradients] = esp::value_and_grad<0>(generator_loss)(generator, discriminator, z);  // the updated one
  by_generator.update(generator, g_gradients);
  return std::tuple{d, g};
};

// The mean squared difference of a pixel from the nearest real digit, and the labels of these digits.
double distance(esp::tensor<float, esp::shape<64, 64>> const& generated, digits const& real, std::set<int>& labels) {
  double sum = 0;
  for (int n = 0; n < 64; ++n) {
    std::pair nearest{4.0, 0};  // no squared difference of pixels is larger
    for (std::int64_t i = 0; i < real.size(); ++i) {
      double squares = 0;
      for (int k = 0; k < 64; ++k) squares += std::pow(generated(n, k) - real.image(i)[k], 2) / 64;
      nearest = std::min(nearest, std::pair{squares, static_cast<int>(real.label(i))});
    }
    sum += nearest.first / 64, labels.insert(nearest.second);
  }
  return sum;
}

int main() {
  digits const real{ESPALIER_DATA "/optdigits-images-idx3-ubyte",
                    ESPALIER_DATA "/optdigits-labels-idx1-ubyte",
                    {.classes = 10, .scale = 1.0 / 8, .shift = -1}};
  esp::data::loader batches{real, esp::batch<64, 8, 8>{}, esp::data::shuffled{1}, esp::data::drop_last};
  esp::model<Generator> generator{esp::seed{1}};
  esp::model<Discriminator> discriminator{esp::seed{2}};
  esp::optim::updater by_generator{generator, esp::optim::Adam{.learning_rate = 1e-3f, .beta1 = 0.5f}};
  esp::optim::updater by_discriminator{discriminator, esp::optim::Adam{.learning_rate = 1e-3f, .beta1 = 0.5f}};
  esp::tensor<float, esp::shape<64, 8, 8>> x;
  esp::tensor<float, esp::shape<64, 64>> z;
  esp::tensor<float, esp::shape<>> d, g;
  esp::compiled step{train, generator, by_generator, discriminator, by_discriminator, x, z};
  std::mt19937 random{3};
  std::normal_distribution<float> normal;
  auto const sample = [&] { std::generate_n(z.data(), z.size(), [&] { return normal(random); }); };
  std::set<int> first, last;
  sample();
  double const before = distance(generator(z), real, first);
  for (int epoch = 0; epoch < 60; ++epoch)
    for (auto const& [images, labels] : batches.epoch(epoch)) sample(), step(images, z, d, g);
  auto const pictures = generator(z);
  double const now = distance(pictures, real, last);
  for (int row = 0; row < 8; ++row, std::puts(""))
    for (int column = 0; column < 6 * 8; ++column)
      std::printf("%.2s", &"  ..::--==++**##%%@@"[2 * int(4.99f * (1 + pictures(column / 8, 8 * row + column % 8)))]);
  std::printf("distance to real digits %.3f, before %.3f; like %d of the ten digits\n", now, before, int(last.size()));
  return before > 0.5 && now < 0.25 && last.size() >= 5 ? 0 : 1;
}
