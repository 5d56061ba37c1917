// SPDX-License-Identifier: BSL-1.0
// A loader takes all its memory at construction: epochs with shuffling and transforms allocate nothing, a training loop
// around them neither.
#define BOOST_TEST_MODULE allocation_data
#include <boost/test/unit_test.hpp>

#include <vector>

#include <espalier.hpp>
#include <espalier/data/loader.hpp>
#include <espalier/data/prefetcher.hpp>

#include "support/allocation_counter.hpp"

namespace esp = espalier;
namespace nn = espalier::nn;
namespace optim = espalier::optim;
namespace data = espalier::data;
using espalier_test::allocations;

namespace {
constexpr int count = 203;
using Sample = esp::shape<3, 32, 32>;  // 12 KiB: beyond what a tensor keeps inside
struct pictures {
  std::vector<float> images = std::vector<float>(count * Sample::size, 0.5f);
  std::vector<std::int32_t> labels = std::vector<std::int32_t>(count, 1);
  data::samples<float, Sample> all() const { return {images.data(), labels.data(), count}; }
};
using augmented = data::transforms<data::random_crop<data::chw, 4>, data::random_flip_horizontal<data::chw>>;
}  // namespace

BOOST_AUTO_TEST_CASE(epochs_allocate_nothing) {
  pictures const some;
  long before = allocations();
  data::loader training{some.all(), esp::batch<16, 3, 32, 32>{}, data::shuffled{1}, data::second_batch<11>,
                        augmented{.seed = 2}};
  data::loader testing{some.all(), esp::batch<16, 3, 32, 32>{}, data::in_order{}, data::padded};
  BOOST_TEST(allocations() - before <= 6);  // two orders, three batches, one sample
  before = allocations();
  double sum = 0;
  for (int epoch = 0; epoch < 2; ++epoch) {
    for (auto const& [images, labels] : training.epoch(epoch)) sum += static_cast<double>(images[5]) + labels[0];
    sum += static_cast<double>(training.tail().images[0]);
    for (auto const& [images, labels, real] : testing.epoch(0))
      sum += static_cast<double>(images[0]) + labels[real - 1];
  }
  BOOST_TEST(allocations() == before);
  BOOST_TEST(sum > 0);
}
BOOST_AUTO_TEST_CASE(epochs_of_a_prefetcher_allocate_nothing) {
  pictures const some;
  data::prefetcher batches{
      data::loader{some.all(), esp::batch<16, 3, 32, 32>{}, data::shuffled{1}, data::drop_last, augmented{.seed = 2}}};
  long const before = allocations();
  double sum = 0;
  for (int epoch = 0; epoch < 3; ++epoch)
    for (auto const& [images, labels] : batches.epoch(epoch)) sum += static_cast<double>(images[5]) + labels[0];
  BOOST_TEST(allocations() == before);
  BOOST_TEST(sum > 0);
}
BOOST_AUTO_TEST_CASE(a_whole_training_loop_allocates_nothing) {
  using Net = nn::Sequential<nn::Flatten, nn::Linear<3072, 8>, nn::LayerNorm1d<8>, nn::ReLU, nn::Linear<8, 2>>;
  pictures const some;
  esp::model<Net> model{esp::seed{0}};
  esp::trainer trainer{model, nn::SoftmaxLoss{},
                       optim::decay_only<optim::weights>(optim::penalized{optim::AdamW{}, 1e-4, 0.0, true}),
                       esp::batch<16, 3, 32, 32>{}};
  data::loader training{some.all(), esp::batch<16, 3, 32, 32>{}, data::shuffled{1}, data::drop_last,
                        augmented{.seed = 2}};
  data::loader testing{some.all(), esp::batch<16, 3, 32, 32>{}, data::in_order{}, data::padded};
  esp::best_parameters best{model};
  esp::early_stopping enough{.patience = 2};
  constexpr auto rate = optim::warm_up{5, optim::cosine{.from = 1e-3, .to = 1e-5, .over = 30}};
  long const before = allocations();
  for (int epoch = 0; epoch < 3; ++epoch) {
    for (auto const& [images, labels] : training.epoch(epoch)) {
      trainer.learning_rate() = rate(trainer.steps());
      trainer.step(images, labels);
    }
    double loss = 0;
    for (auto const& [images, labels, real] : testing.epoch(0)) loss += trainer.evaluate(images, labels, real).loss;
    bool const stop = enough.observe(loss);
    if (enough.improved) best.keep(model);
    if (stop) break;
  }
  best.restore(model);
  BOOST_TEST(allocations() == before);
  BOOST_TEST(trainer.steps() >= 12);
}
