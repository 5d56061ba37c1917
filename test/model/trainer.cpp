// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE model_trainer
#include <boost/test/unit_test.hpp>

#include <limits>
#include <type_traits>

#include "support/nets.hpp"

using namespace test;
using esp::shape, esp::tensor;

namespace {
using Net = nn::Sequential<nn::Flatten, nn::Linear<4, 8>, nn::BatchNorm1d<8>, nn::ReLU, nn::Residual<nn::Linear<8, 8>>,
                           nn::Linear<8, 10>>;
using classes = tensor<std::int32_t, shape<6>>;

/// Which of the four pixels is the largest.
template <class T, int N>
struct task {
  tensor<T, shape<N, 2, 2>> images = numbers<T, shape<N, 2, 2>>(N);
  tensor<std::int32_t, shape<N>> labels;
  task() {
    for (int i = 0; i < N; ++i)
      for (int k = 0; k < 4; ++k)
        if (images[4 * i + k] > images[4 * i + labels[i]]) labels[i] = k;
  }
};

/// Everything that a step may change.
template <class Model, class Trainer>
auto everything(Model const& model, Trainer const& trainer) {
  auto all = copy(model.parameters());
  for (auto element : model.buffers()) all.push_back(element);
  all.push_back(static_cast<typename Model::value_type>(trainer.steps()));
  return all;
}
}  // namespace

BOOST_AUTO_TEST_CASE_TEMPLATE(training_decreases_the_loss, T, decltype(std::tuple<float, double>{})) {
  task<T, 32> const sample_data;
  esp::model<Net, esp::cpu, T> model{esp::seed{1}};
  esp::trainer trainer{model, nn::SoftmaxLoss{}, optim::Adam{.learning_rate = 0.01}, esp::batch<32, 2, 2>{}};
  static_assert(std::is_same_v<decltype(trainer.step(sample_data.images, sample_data.labels)), T>);
  T const first = trainer.step(sample_data.images, sample_data.labels);
  T last = first;
  for (int step = 1; step < 200; ++step) last = trainer.step(sample_data.images, sample_data.labels);
  BOOST_TEST(first > T(1));
  BOOST_TEST(last < T(0.1));
  BOOST_TEST(trainer.steps() == 200);
  auto const found = trainer.evaluate(sample_data.images, sample_data.labels);
  BOOST_TEST(found.correct >= 31);
  BOOST_TEST(found.count == 32);
  BOOST_TEST(found.loss < 0.2);
  BOOST_TEST(found.accuracy() == static_cast<double>(found.correct) / 32);
}
BOOST_AUTO_TEST_CASE(a_step_is_gradients_then_an_update) {
  task<double, 6> const sample_data;
  esp::model<Net, esp::cpu, double> model{esp::seed{1}}, by_hand{esp::seed{1}};
  esp::trainer trainer{model, nn::SoftmaxLoss{}, optim::Adam{.learning_rate = 0.01}, esp::batch<6, 2, 2>{}};
  optim::updater updater{by_hand, optim::Adam{.learning_rate = 0.01}};
  for (int step = 0; step < 3; ++step) {
    double const loss = trainer.step(sample_data.images, sample_data.labels);
    auto const r = esp::value_and_grad(by_hand, nn::SoftmaxLoss{})(sample_data.images, sample_data.labels);
    BOOST_TEST(near(loss, r.loss));
    for (std::int64_t i = 0; i < r.gradients.span().size(); ++i)
      BOOST_TEST(near(trainer.gradients()[i], r.gradients.span()[i]));
    updater.update(by_hand, r.gradients);
    for (std::int64_t i = 0; i < model.parameters().size(); ++i)
      BOOST_TEST(near(model.parameters()[i], by_hand.parameters()[i]));
    for (std::int64_t i = 0; i < model.buffers().size(); ++i)
      BOOST_TEST(near(model.buffers()[i], by_hand.buffers()[i]));
  }
}
BOOST_AUTO_TEST_CASE(a_queued_step_is_a_step) {
  task<double, 6> const sample_data;
  esp::model<Net, esp::cpu, double> model{esp::seed{1}}, other{esp::seed{1}};
  esp::trainer trainer{model, nn::SoftmaxLoss{}, optim::Adam{}, esp::batch<6, 2, 2>{}};
  esp::trainer queuing{other, nn::SoftmaxLoss{}, optim::Adam{}, esp::batch<6, 2, 2>{}};
  static_assert(std::is_same_v<decltype(queuing.step(sample_data.images, sample_data.labels, esp::queued{})), void>);
  for (int step = 0; step < 3; ++step) {
    trainer.step(sample_data.images, sample_data.labels);
    queuing.step(sample_data.images, sample_data.labels, esp::queued{});
  }
  BOOST_TEST(queuing.steps() == 3);
  for (std::int64_t i = 0; i < model.parameters().size(); ++i)
    BOOST_TEST(model.parameters()[i] == other.parameters()[i]);
  for (std::int64_t i = 0; i < model.buffers().size(); ++i) BOOST_TEST(model.buffers()[i] == other.buffers()[i]);
}
BOOST_AUTO_TEST_CASE(several_batch_sizes_share_parameters_and_optimizer) {
  task<double, 6> const large;
  task<double, 3> const small;
  esp::model<Net, esp::cpu, double> model{esp::seed{1}}, by_hand{esp::seed{1}};
  esp::trainer trainer{model, nn::SoftmaxLoss{}, optim::Adam{.learning_rate = 0.01}, esp::batch<6, 2, 2>{},
                       esp::batch<3, 2, 2>{}};
  optim::updater updater{by_hand, optim::Adam{.learning_rate = 0.01}};
  auto const follow = [&](auto const& sample_data) {
    double const loss = trainer.step(sample_data.images, sample_data.labels);
    auto const r = esp::value_and_grad(by_hand, nn::SoftmaxLoss{})(sample_data.images, sample_data.labels);
    updater.update(by_hand, r.gradients);
    BOOST_TEST(near(loss, r.loss));
    for (std::int64_t i = 0; i < model.parameters().size(); ++i)
      BOOST_TEST(near(model.parameters()[i], by_hand.parameters()[i]));
  };
  follow(large);
  follow(small);
  follow(small);
  follow(large);
  BOOST_TEST(trainer.steps() == 4);
}
BOOST_AUTO_TEST_CASE(views_are_accepted_like_tensors) {
  task<float, 6> const sample_data;
  esp::model<Net> model{esp::seed{1}}, other{esp::seed{1}};
  esp::trainer trainer{model, nn::SoftmaxLoss{}, optim::SGD<>{}, esp::batch<6, 2, 2>{}};
  esp::trainer of_views{other, nn::SoftmaxLoss{}, optim::SGD<>{}, esp::batch<6, 2, 2>{}};
  esp::view<float const, shape<6, 2, 2>> const images{sample_data.images};
  esp::view<std::int32_t const, shape<6>> const labels{sample_data.labels};
  BOOST_TEST(trainer.step(sample_data.images, sample_data.labels) == of_views.step(images, labels));
  BOOST_TEST(copy(model.parameters()) == copy(other.parameters()), boost::test_tools::per_element());
  BOOST_TEST(trainer.evaluate(images, labels).loss == of_views.evaluate(sample_data.images, sample_data.labels).loss);
}
BOOST_AUTO_TEST_CASE(the_learning_rate_may_change) {
  task<float, 6> const sample_data;
  esp::model<Net> model{esp::seed{1}};
  esp::trainer trainer{model, nn::SoftmaxLoss{}, optim::SGD<>{.learning_rate = 0.1}, esp::batch<6, 2, 2>{}};
  trainer.optimizer().learning_rate = 0;
  auto const before = copy(model.parameters());
  trainer.step(sample_data.images, sample_data.labels);
  BOOST_TEST(copy(model.parameters()) == before, boost::test_tools::per_element());
  trainer.optimizer().learning_rate = 0.1;
  trainer.step(sample_data.images, sample_data.labels);
  BOOST_TEST((copy(model.parameters()) != before));
}
BOOST_AUTO_TEST_CASE(labels_outside_the_classes_change_nothing) {
  task<float, 6> const sample_data;
  esp::model<Net> model{esp::seed{1}}, other{esp::seed{1}};
  esp::trainer trainer{model, nn::SoftmaxLoss{}, optim::Adam{}, esp::batch<6, 2, 2>{}};
  esp::trainer undisturbed{other, nn::SoftmaxLoss{}, optim::Adam{}, esp::batch<6, 2, 2>{}};
  trainer.step(sample_data.images, sample_data.labels);
  undisturbed.step(sample_data.images, sample_data.labels);
  auto const before = everything(model, trainer);
  struct {
    int position;
    std::int32_t label;
    char const* error_text;
  } const wrong[] = {
      {0, -1, "labels: expected 0 to 9, got -1 at position 0"},
      {5, 10, "labels: expected 0 to 9, got 10 at position 5"},
      {2, std::numeric_limits<std::int32_t>::min(), "labels: expected 0 to 9, got -2147483648 at position 2"},
      {3, std::numeric_limits<std::int32_t>::max(), "labels: expected 0 to 9, got 2147483647 at position 3"}};
  for (auto const& w : wrong) {
    classes labels = sample_data.labels;
    labels[w.position] = w.label;
    auto const has_expected_text = [&](esp::label_error const& error) {
      return std::string(error.what()) == w.error_text;
    };
    BOOST_CHECK_EXCEPTION(trainer.step(sample_data.images, labels), esp::label_error, has_expected_text);
    BOOST_CHECK_EXCEPTION(trainer.evaluate(sample_data.images, labels), esp::label_error, has_expected_text);
    BOOST_TEST(everything(model, trainer) == before, boost::test_tools::per_element());
  }
  // The optimizer's states are as they were, too: the next steps are those of a trainer that never saw a wrong label.
  for (int step = 0; step < 3; ++step) {
    trainer.step(sample_data.images, sample_data.labels);
    undisturbed.step(sample_data.images, sample_data.labels);
  }
  BOOST_TEST(everything(model, trainer) == everything(other, undisturbed), boost::test_tools::per_element());
}
BOOST_AUTO_TEST_CASE(a_skipped_update_changes_nothing_and_is_counted) {
  task<float, 6> const sample_data;
  esp::model<Net> model{esp::seed{1}}, other{esp::seed{1}};
  esp::trainer trainer{model, nn::SoftmaxLoss{}, optim::skip_non_finite{optim::Adam{}}, esp::batch<6, 2, 2>{}};
  esp::trainer undisturbed{other, nn::SoftmaxLoss{}, optim::Adam{}, esp::batch<6, 2, 2>{}};
  for (int step = 0; step < 3; ++step) {
    trainer.step(sample_data.images, sample_data.labels);
    undisturbed.step(sample_data.images, sample_data.labels);
    auto const before = everything(model, trainer);
    auto damaged = sample_data.images;
    damaged(2, 1, 0) = step == 1 ? std::numeric_limits<float>::infinity() : std::numeric_limits<float>::quiet_NaN();
    BOOST_TEST(!std::isfinite(trainer.step(damaged, sample_data.labels)));
    BOOST_TEST(everything(model, trainer) == before, boost::test_tools::per_element());
    BOOST_TEST(trainer.skipped_updates() == step + 1);
  }
  BOOST_TEST(trainer.steps() == 3);
  BOOST_TEST(everything(model, trainer) == everything(other, undisturbed), boost::test_tools::per_element());
}
BOOST_AUTO_TEST_CASE(regression) {
  esp::model<nn::Sequential<nn::Linear<3, 8>, nn::Tanh, nn::Linear<8, 1>>, esp::cpu, double> model{esp::seed{2}};
  esp::trainer trainer{model, nn::MeanSquaredError{},
                       optim::SGD{.learning_rate = 0.05, .momentum = optim::nesterov{0.9}}, esp::batch<16, 3>{}};
  auto const x = doubles<16, 3>(1);
  tensor<double, shape<16, 1>> y;
  for (int i = 0; i < 16; ++i) y[i] = x(i, 0) * x(i, 1) - x(i, 2);
  double const first = trainer.step(x, y);
  double last = first;
  for (int step = 0; step < 500; ++step) last = trainer.step(x, y);
  BOOST_TEST(last < first / 50);
  auto const found = trainer.evaluate(x, y);
  BOOST_TEST(found.correct == 0);
  BOOST_TEST(found.loss < last * 1.01);
}
