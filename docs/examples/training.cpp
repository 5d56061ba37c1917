// SPDX-License-Identifier: BSL-1.0
// A training run with everything around it: data sets, transforms, a schedule, groups of parameters, penalties, early
// stopping.
#include <espalier.hpp>
#include <espalier/data/cifar10.hpp>
#include <espalier/data/loader.hpp>
#include <espalier/data/prefetcher.hpp>
#include <espalier/data/table.hpp>

#include <cstdio>
#include <vector>

namespace esp = espalier;
namespace nn = espalier::nn;
namespace optim = espalier::optim;
namespace data = espalier::data;
namespace io = espalier::io;

// [net]
using Net = nn::Sequential<nn::Flatten, nn::Linear<64, 128>, nn::BatchNorm1d<128>, nn::ReLU, nn::Dropout<0.1>,
                           nn::Linear<128, 10>>;
using batch = esp::batch<32, 8, 8>;
// [/net]

// [schedule]
constexpr auto rate = optim::warm_up{40, optim::cosine{.from = 4e-3, .to = 1e-4, .over = 1500}};
static_assert(rate(40) == 4e-3 && rate(40 + 1500) == 1e-4);
constexpr optim::staircase stairs{.from = 0.1, .times = 0.5, .every = 30};  // by epochs, for example
static_assert(stairs(29) == 0.1 && stairs(30) == 0.05);
// [/schedule]

// [choice]
struct only_matrices {
  static constexpr bool selects(optim::parameter_facts const& p) { return p.shape.rank == 2 && p.is_named("weight"); }
};
// [/choice]

// [cifar]
auto read_pictures() {
  return data::cifar10({.scale = 1.0 / 255}, "data_batch_1.bin", "data_batch_2.bin", "data_batch_3.bin",
                       "data_batch_4.bin", "data_batch_5.bin");
}
using augmented = data::transforms<data::random_crop<data::chw, 4>, data::random_flip_horizontal<data::chw>>;
// [/cifar]

// [own]
struct darker {
  template <class T, class Sample>
  static void apply(esp::view<T const, Sample> from, esp::view<T, Sample> to, data::random_generator& random) noexcept {
    T const factor = static_cast<T>(1 - 0.25 * random.uniform());
    for (std::int64_t i = 0; i < Sample::size; ++i) to[i] = from[i] * factor;
  }
};
// [/own]

// [inside]
using Augmented = nn::Sequential<nn::RandomCrop<1>, nn::Conv<1, 8, 3>, nn::BatchNorm2d<8>, nn::ReLU, nn::Flatten,
                                 nn::Linear<8 * 8 * 8, 10>>;
static_assert(esp::output_shape<Augmented, esp::shape<32, 1, 8, 8>> == esp::shape<32, 10>{});
// [/inside]

double train_on_digits() {
  // [sets]
  data::dataset<float, esp::shape<8, 8>> const digits{ESPALIER_DATA "/optdigits-images-idx3-ubyte",
                                                      ESPALIER_DATA "/optdigits-labels-idx1-ubyte",
                                                      {.classes = 10, .scale = 1.0 / 16}};
  auto const [train_set, test] = digits.split(1437);
  auto const [training, validation] = train_set.split(1200);

  data::loader batches{training, batch{}, data::shuffled{1}, data::drop_last,
                       data::transforms<data::random_crop<data::chw, 1>, darker>{.seed = 2}};
  data::loader judged{validation, batch{}, data::in_order{}, data::padded};
  // [/sets]

  // [optimizer]
  esp::model<Net> model{esp::seed{0}};
  auto const adam = optim::decay_only<optim::weights>(optim::AdamW{.learning_rate = rate(0), .weight_decay = 0.05});
  esp::trainer trainer{model, nn::SoftmaxLoss{}, adam, batch{}};
  // [/optimizer]

  // [loop]
  auto const validate = [&] {
    double loss = 0;
    for (auto const& [images, labels, count] : judged.epoch(0))
      loss += trainer.evaluate(images, labels, count).loss * count;
    return loss / static_cast<double>(validation.size());
  };
  esp::best_parameters best{model};
  esp::early_stopping enough{.patience = 12};
  for (int epoch = 0; epoch < 60; ++epoch) {
    for (auto const& [images, labels] : batches.epoch(epoch)) {
      trainer.learning_rate() = rate(trainer.steps());
      trainer.step(images, labels);
    }
    bool const stop = enough.observe(validate());
    if (enough.improved) best.keep(model);
    if (stop) break;
  }
  best.restore(model);
  // [/loop]
  double const restored = validate();
  std::printf("best epoch %d of %d, validation loss %.4f\n", static_cast<int>(enough.best_at),
              static_cast<int>(enough.observed), restored);
  if (restored != enough.best) return 0;

  // [ahead]
  data::prefetcher ahead{data::loader{training, batch{}, data::shuffled{1}, data::drop_last,
                                      data::transforms<data::random_crop<data::chw, 1>, darker>{.seed = 2}}};
  for (auto const& [images, labels] : ahead.epoch(60)) trainer.step(images, labels);
  // [/ahead]
  best.restore(model);

  data::loader test_batches{test, batch{}, data::in_order{}, data::padded};
  std::int64_t correct = 0;
  for (auto const& [images, labels, count] : test_batches.epoch(0))
    correct += trainer.evaluate(images, labels, count).correct;
  return static_cast<double>(correct) / static_cast<double>(test.size());
}

bool train_on_a_table() {
  // A file as it may lie about: a header, two features, one target.
  char const* const path = "training_houses.csv";
  std::FILE* const file = std::fopen(path, "w");
  if (file == nullptr) return false;
  std::fputs("rooms,price,age\n", file);
  for (int i = 0; i < 32; ++i) std::fprintf(file, "%d,%.2f,%d\n", 1 + i % 4, 1.5 * (1 + i % 4) - 0.02 * i + 0.5, i);
  std::fclose(file);

  // [table]
  auto const houses = data::table<float, esp::shape<2>, esp::shape<1>>(
      io::read_csv("training_houses.csv", {.header = true}), {}, "price");

  esp::model<nn::Linear<2, 1>> model{esp::seed{0}};
  auto const penalized =
      optim::penalized{.optimizer = optim::SGD<>{.learning_rate = 2e-3}, .l1 = 1e-3, .l2 = 1e-4, .in_loss = true};
  esp::trainer trainer{model, nn::MeanSquaredError{}, penalized, esp::batch<16, 2>{}};
  data::loader batches{houses, esp::batch<16, 2>{}, data::shuffled{0}, data::drop_last};
  float loss = 0;
  for (int epoch = 0; epoch < 3000; ++epoch)
    for (auto const& [features, prices] : batches.epoch(epoch)) loss = trainer.step(features, prices);
  // [/table]
  std::remove(path);
  std::printf("prices: loss %.4f, of which the penalty is %.4f\n", static_cast<double>(loss),
              static_cast<double>(trainer.penalty()));
  return loss < 0.05f && trainer.penalty() > 0;
}

bool train_on_arrays() {
  // [arrays]
  std::vector<float> const inputs{0, 0, 0, 1, 1, 0, 1, 1};
  std::vector<int> const classes{0, 1, 1, 0};
  data::samples<float, esp::shape<2>> const borrowed{inputs, classes};                 // refers to the vectors
  data::dataset<float, esp::shape<2>> const checked{inputs, classes, {.classes = 2}};  // checks and copies them

  esp::model<nn::Linear<2, 2>> model{esp::seed{0}};
  esp::trainer trainer{model, nn::SoftmaxLoss{}, optim::SGD<>{.learning_rate = 0.1}, esp::batch<4, 2>{}};
  // reads them where they are; throws esp::range_error unless they are four samples and labels
  trainer.step(inputs, classes);
  // [/arrays]
  return borrowed.size() == checked.size() && checked.label(2) == 1 && borrowed.image(3)[1] == checked.image(3)[1];
}

int main() try {
  double const accuracy = train_on_digits();
  std::printf("%.3f of the test digits right\n", accuracy);
  bool rejected = false;
  try {
    (void)read_pictures();
  } catch (io::format_error const& error) {
    rejected = true;
    std::printf("%s\n", error.what());
  }
  auto const other = optim::decay_only<only_matrices>(optim::SGD<>{.weight_decay = 1e-3});
  return accuracy > 0.87 && train_on_a_table() && train_on_arrays() && rejected && other.optimizer.weight_decay > 0 &&
                 augmented::count == 2
             ? 0
             : 1;
} catch (std::exception const& error) {
  std::fprintf(stderr, "training: %s\n", error.what());
  return 1;
}
