// SPDX-License-Identifier: BSL-1.0
// One program for batches of 1 to 64 samples: predictions for as many points as there are, and a training whose last
// batch of an epoch is short.
#include <espalier.hpp>
#include <espalier/data/loader.hpp>
#include <espalier/up_to.hpp>

#include <cstdio>
#include <vector>

namespace data = espalier::data;
namespace esp = espalier;
namespace nn = espalier::nn;
namespace optim = espalier::optim;

// [net]
using Net = nn::Sequential<nn::Linear<2, 16>, nn::Tanh, nn::Linear<16, 2>>;
using batch = esp::batch<esp::up_to<64>, 2>;  // 1 to 64 samples of shape (2)
// [/net]

int main() {
  // Points of a square; the class of a point is 1 where its coordinates have the same sign.
  std::vector<float> points;
  std::vector<int> classes;
  for (int i = 0; i < 401; ++i) {
    float const x = static_cast<float>(i * 37 % 401 - 200) / 200, y = static_cast<float>(i * 91 % 401 - 200) / 200;
    points.insert(points.end(), {x, y});
    classes.push_back(x * y > 0 ? 1 : 0);
  }

  // [train]
  data::dataset<float, esp::shape<2>> const all{points, classes, {.classes = 2}};
  auto const [train_set, test_set] = all.split(301);
  data::loader batches{train_set, batch{}, data::shuffled{0}, data::short_last};  // 4 batches of 64 samples, one of 45
  data::loader tests{test_set, batch{}, data::in_order{}, data::short_last};

  esp::model<Net> model{esp::seed{0}};
  esp::trainer trainer{model, nn::SoftmaxLoss{}, optim::Adam{.learning_rate = 0.02}, batch{}};
  for (int epoch = 0; epoch < 60; ++epoch)
    for (auto const& [inputs, labels] : batches.epoch(epoch)) trainer.step(inputs, labels);
  // [/train]
  std::printf("%d batches of an epoch, %d samples in the last\n", static_cast<int>(batches.batches()),
              static_cast<int>(batches.tail_count()));

  // [evaluate]
  std::int64_t correct = 0;
  for (auto const& [inputs, labels] : tests.epoch(0)) correct += trainer.evaluate(inputs, labels).correct;
  // [/evaluate]
  std::printf("more than 90 of 100 test points right: %s\n", correct > 90 ? "yes" : "no");

  // [predict]
  esp::predictor classify{model, batch{}};
  std::vector<float> requests{0.5f, 0.5f, -0.5f, 0.5f, -0.5f, -0.5f};  // three points
  std::vector<float> scores(3 * 2);
  classify(requests, scores);
  // [/predict]
  for (std::size_t i = 0; i < 3; ++i) std::printf("class %d\n", scores[2 * i + 1] > scores[2 * i] ? 1 : 0);

  // [view]
  esp::view<float const, batch> const first_two{requests.data(), 2};
  esp::view<float, batch> const two_scores{scores.data(), 2};
  classify(first_two, two_scores);
  // [/view]
  std::printf("%d samples\n", two_scores.samples());

  // [error]
  std::vector<float> const too_many(65 * 2);
  try {
    trainer.forward(too_many);
  } catch (esp::sample_count_error const& error) {
    std::printf("%s\n", error.what());
  }
  // [/error]
  return correct > 90 ? 0 : 1;
}
