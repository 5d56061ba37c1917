// SPDX-License-Identifier: BSL-1.0
// Adversarial examples: the gradient of the loss with respect to the pictures shows which small changes of the pixels
// mislead a trained net the most (the fast gradient sign method).
#include <espalier.hpp>
#include <espalier/data/loader.hpp>

#include <cstdio>

namespace esp = espalier;
namespace nn = espalier::nn;
namespace data = espalier::data;

using Net = nn::Sequential<nn::Flatten, nn::Linear<64, 64>, nn::BatchNorm1d<64>, nn::ReLU, nn::Linear<64, 10>>;
using batch = esp::batch<60, 8, 8>;

// evaluate(net, x): BatchNorm uses its running statistics, as it does when the net is used.
inline constexpr auto loss = [](auto net, auto x, auto labels) { return nn::SoftmaxLoss{}(evaluate(net, x), labels); };
// Towards a larger loss: each pixel changes by the same amount, in the direction of its gradient's sign.
inline constexpr auto mislead = [](auto net, auto x, auto labels, auto amount) {
  auto const gradient = esp::grad<1>(loss)(net, x, labels);
  return clamp(x + amount * where(gradient > 0, 1, -1), 0, 1);
};

int main() {
  data::dataset<float, esp::shape<8, 8>> const digits{ESPALIER_DATA "/optdigits-images-idx3-ubyte",
                                                      ESPALIER_DATA "/optdigits-labels-idx1-ubyte",
                                                      {.classes = 10, .scale = 1.0 / 16}};
  auto const [training, test] = digits.split(1437);
  esp::model<Net> model{esp::seed{0}};
  esp::trainer trainer{model, nn::SoftmaxLoss{}, esp::optim::Adam{.learning_rate = 3e-3f}, batch{}};
  data::loader batches{training, batch{}, data::shuffled{0}, data::drop_last};
  for (int epoch = 0; epoch < 20; ++epoch)
    for (auto const& [images, labels] : batches.epoch(epoch)) trainer.step(images, labels);

  data::loader test_batches{test, batch{}, data::in_order{}, data::drop_last};
  esp::tensor<float, esp::shape<60, 8, 8>> changed;
  esp::tensor<float, esp::shape<>> amount;
  esp::compiled attack{mislead, model, changed, esp::tensor<int, esp::shape<60>>{}, amount};
  std::int64_t right[5]{};
  std::puts("pixels change by   right answers of 360");
  for (int level = 0; level < 5; ++level) {
    amount = 0.05f * static_cast<float>(level);
    for (auto const& [images, labels] : test_batches.epoch(0)) {
      attack(images, labels, amount, changed);
      right[level] += trainer.evaluate(changed, labels).correct;
    }
    std::printf("%16.2f   %20d\n", static_cast<double>(amount), static_cast<int>(right[level]));
  }
  return right[0] > 310 && 2 * right[3] < right[0] ? 0 : 1;
}
