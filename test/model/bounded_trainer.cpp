// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE model_bounded_trainer
#include <boost/test/unit_test.hpp>

#include <espalier/data/loader.hpp>

#include "support/bounded_training.hpp"

using namespace test;
using esp::up_to, esp::view;

namespace {
using Mlp =
    nn::Sequential<nn::Flatten, nn::Linear<12, 24>, nn::ReLU, nn::LayerNorm1d<24>, nn::Dropout<0.3>, nn::Linear<24, 5>>;
using mlp = training_case<Mlp, nn::SoftmaxLoss, 5, 3, 4>;
using Normalized = nn::Sequential<nn::Linear<12, 24>, nn::BatchNorm1d<24>, nn::ReLU, nn::Linear<24, 5>>;
using normalized = training_case<Normalized, nn::SoftmaxLoss, 5, 12>;

template <class E>
std::string message(auto&& f) {
  try {
    f();
  } catch (E const& e) {
    return e.what();
  }
  return "";
}
}  // namespace

// Random masks, too, are those of the leading samples.
BOOST_AUTO_TEST_CASE(a_step_equals_that_of_each_number) { BOOST_TEST((mlp::compare<1, 2, 5, 16, 23, 24>()) < 1e-12); }
BOOST_AUTO_TEST_CASE(statistics_are_those_of_the_samples) { BOOST_TEST((normalized::compare<3, 8, 24>()) < 1e-10); }

BOOST_AUTO_TEST_CASE(a_batch_norm_does_not_learn_from_one_sample) {
  static_assert(normalized::trainer::least_samples == 2 && mlp::trainer::least_samples == 1);
  normalized::model model{esp::seed{1}};
  normalized::trainer trainer{model, nn::SoftmaxLoss{}, optim::SGD{.learning_rate = 0.1}, normalized::batch{}};
  auto const x = normalized::images(1);
  auto const y = normalized::targets(1);
  auto const before = model.clone();
  BOOST_TEST(message<esp::sample_count_error>([&] { trainer.step(x, y); }) ==
             "trainer.step(images, targets): expected 2 to 24 samples, got 1");
  BOOST_TEST(normalized::difference(model.parameters(), before.parameters()) == 0);
  BOOST_TEST(trainer.steps() == 0);
  BOOST_TEST(trainer.evaluate(x, y).count == 1);
}
BOOST_AUTO_TEST_CASE(errors_change_nothing) {
  mlp::model model{esp::seed{1}};
  mlp::trainer trainer{model, nn::SoftmaxLoss{}, optim::SGD{.learning_rate = 0.1}, mlp::batch{}};
  auto const before = model.clone();
  auto y = mlp::targets(3);
  BOOST_TEST(message<esp::sample_count_error>([&] { trainer.step(mlp::images(25), mlp::targets(25)); }) ==
             "trainer.step(images, targets): expected 1 to 24 samples, got 25");
  BOOST_TEST(message<esp::sample_count_error>([&] { trainer.step(mlp::images(4), y); }) ==
             "trainer.step(images, targets): expected 4 samples, got 3");
  BOOST_TEST(message<esp::sample_count_error>([&] { trainer.evaluate(mlp::images(2), y); }) ==
             "trainer.evaluate(images, targets): expected 2 samples, got 3");
  y[2] = 5;
  BOOST_TEST(!message<esp::label_error>([&] { trainer.step(mlp::images(3), y); }).empty());
  BOOST_TEST(mlp::difference(model.parameters(), before.parameters()) == 0);
  BOOST_TEST(trainer.steps() == 0);
}
BOOST_AUTO_TEST_CASE(views_tensors_and_ranges) {
  mlp::model model{esp::seed{1}};
  mlp::trainer trainer{model, nn::SoftmaxLoss{}, optim::SGD{.learning_rate = 0}, mlp::batch{}};
  auto const x = mlp::images(3);
  auto const y = mlp::targets(3);
  esp::tensor<double, esp::shape<3, 3, 4>> const images(x);
  esp::tensor<std::int32_t, esp::shape<3>> const labels(y);
  double const expected = trainer.evaluate(x, y).loss;
  BOOST_TEST(trainer.evaluate(images, labels).loss == expected);
  BOOST_TEST(trainer
                 .evaluate(view<double const, mlp::batch>{x.data(), 3},
                           view<std::int32_t const, esp::batch<up_to<24>>>{y.data(), 3})
                 .loss == expected);
  BOOST_TEST(trainer.forward(images).samples() == 3);
}
BOOST_AUTO_TEST_CASE(a_skipped_update_restores_the_statistics) {
  using net = normalized::model;
  net model{esp::seed{1}};
  esp::trainer trainer{model, nn::SoftmaxLoss{}, optim::skip_non_finite{optim::SGD{.learning_rate = 0.1}},
                       normalized::batch{}};
  auto x = normalized::images(3);
  x[4] = INFINITY;
  auto const before = model.clone();
  trainer.step(x, normalized::targets(3));
  BOOST_TEST(trainer.skipped_updates() == 1);
  BOOST_TEST(normalized::difference(model.parameters(), before.parameters()) == 0);
  BOOST_TEST(normalized::difference(model.buffers(), before.buffers()) == 0);
}
// An epoch of a loader equals steps of trainers of the fixed sizes that its batches have.
BOOST_AUTO_TEST_CASE(batches_of_a_loader) {
  auto const x = mlp::images(29);
  auto const y = mlp::targets(29);
  esp::data::samples<double, esp::shape<3, 4>> const all{x, y};
  mlp::model own{esp::seed{5}};
  mlp::model other = own.clone();
  esp::data::loader batches{all, mlp::batch{}, esp::data::in_order{}, esp::data::short_last};
  mlp::trainer trainer{own, nn::SoftmaxLoss{}, optim::SGD{.learning_rate = 0.1}, mlp::batch{}};
  esp::trainer fixed{other, nn::SoftmaxLoss{}, optim::SGD{.learning_rate = 0.1}, esp::batch<24, 3, 4>{},
                     esp::batch<5, 3, 4>{}};
  for (auto const& [images, labels] : batches.epoch(0)) trainer.step(images, labels);
  fixed.step(view<double const, esp::batch<24, 3, 4>>(x.data()), view<std::int32_t const, esp::shape<24>>(y.data()));
  fixed.step(view<double const, esp::batch<5, 3, 4>>(x.data() + 24 * 12),
             view<std::int32_t const, esp::shape<5>>(y.data() + 24));
  BOOST_TEST(trainer.steps() == 2);
  BOOST_TEST(mlp::difference(own.parameters(), other.parameters()) < 1e-12);
  std::int64_t samples = 0;
  for (auto const& [images, labels] : batches.epoch(1)) samples += trainer.evaluate(images, labels).count;
  BOOST_TEST(samples == 29);
}
BOOST_AUTO_TEST_CASE(the_loss_falls) {
  mlp::model model{esp::seed{1}};
  esp::trainer trainer{model, nn::SoftmaxLoss{}, optim::Adam{.learning_rate = 0.01}, mlp::batch{}};
  auto const x = mlp::images(24);
  auto const y = mlp::targets(24);
  double const first = trainer.evaluate(x, y).loss;
  for (int epoch = 0; epoch < 40; ++epoch)
    for (int from = 0; from < 24; from += 7) {  // the last batch has three samples
      int const count = from + 7 < 24 ? 7 : 24 - from;
      trainer.step(view<double const, mlp::batch>{x.data() + from * 12, count},
                   view<std::int32_t const, esp::batch<up_to<24>>>{y.data() + from, count});
    }
  BOOST_TEST(trainer.evaluate(x, y).loss < 0.7 * first);
}
