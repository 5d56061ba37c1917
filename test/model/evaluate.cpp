// SPDX-License-Identifier: BSL-1.0
// trainer.evaluate and trainer.forward.
#define BOOST_TEST_MODULE model_evaluate
#include <boost/test/unit_test.hpp>

#include "support/nets.hpp"

using namespace test;
using esp::shape, esp::tensor;

namespace {
using Net = nn::Sequential<nn::Flatten, nn::Linear<6, 8>, nn::BatchNorm1d<8>, nn::ReLU, nn::Dropout<0.3>,
                           nn::Linear<8, 4>, nn::LayerNorm1d<4>>;
}

BOOST_AUTO_TEST_CASE(a_batch_is_its_samples_one_by_one) {
  esp::model<Net, esp::cpu, double> model{esp::seed{1}};
  esp::trainer trainer{model, nn::SoftmaxLoss{}, optim::Adam{}, esp::batch<7, 2, 3>{}};
  auto images = doubles<7, 2, 3>(1);
  auto targets = labels<7>(2, 4);
  // so that the running statistics are no longer those of the start
  for (int step = 0; step < 3; ++step) trainer.step(images, targets);
  auto const scores = model(images);
  double loss[7] = {};
  int right[7] = {};
  for (int n = 0; n < 7; ++n) {
    double sum = 0;
    int best = 0;
    for (int c = 0; c < 4; ++c) {
      sum += std::exp(scores(n, c));
      if (scores(n, c) > scores(n, best)) best = c;
    }
    loss[n] = std::log(sum) - scores(n, targets[n]);
    right[n] = best == targets[n];
  }
  for (int count = 7; count >= 0; --count) {
    double expected = 0;
    int correct = 0;
    for (int n = 0; n < count; ++n) {
      expected += loss[n] / count;
      correct += right[n];
    }
    auto const found = trainer.evaluate(images, targets, count);
    BOOST_TEST(near(found.loss, expected));
    BOOST_TEST(found.correct == correct);
    BOOST_TEST(found.count == count);
    // What lies behind the count is padding: neither its labels nor its images matter.
    if (count == 0) break;
    targets[count - 1] = count % 2 == 0 ? -1 : 1000;
    for (int i = 0; i < 6; ++i) images[6 * (count - 1) + i] = count % 3 == 0 ? NAN : 1e300;
  }
  BOOST_TEST(trainer.evaluate(images, targets, 0).accuracy() == 0);
  BOOST_TEST(trainer.evaluate(images, targets, 0).loss == 0);
}
BOOST_AUTO_TEST_CASE(a_count_beyond_the_batch_throws) {
  esp::model<Net> model{esp::seed{1}};
  esp::trainer trainer{model, nn::SoftmaxLoss{}, optim::Adam{}, esp::batch<7, 2, 3>{}};
  auto const images = floats<7, 2, 3>(1);
  auto const targets = labels<7>(2, 4);
  for (std::int64_t const count : {std::int64_t{8}, std::int64_t{-1}, std::numeric_limits<std::int64_t>::min()}) {
    try {
      (void)trainer.evaluate(images, targets, count);
      BOOST_ERROR("nothing was refused");
    } catch (esp::count_error const& error) {
      esp::count_error const same = error;
      BOOST_TEST(std::string{same.what()} ==
                 "evaluate(images, targets, count): expected a count of 0 to 7, the samples of the batch, got " +
                     std::to_string(count));
    }
  }
  BOOST_TEST(trainer.evaluate(images, targets, 7u).count == 7);
}
BOOST_AUTO_TEST_CASE(evaluation_changes_nothing) {
  esp::model<Net> model{esp::seed{1}}, other{esp::seed{1}};
  esp::trainer trainer{model, nn::SoftmaxLoss{}, optim::Adam{}, esp::batch<7, 2, 3>{}};
  esp::trainer never_evaluated{other, nn::SoftmaxLoss{}, optim::Adam{}, esp::batch<7, 2, 3>{}};
  auto const images = floats<7, 2, 3>(1);
  auto const targets = labels<7>(2, 4);
  for (int step = 0; step < 3; ++step) {
    auto const parameters = copy(model.parameters()), buffers = copy(model.buffers());
    auto const once = trainer.evaluate(images, targets), again = trainer.evaluate(images, targets);
    BOOST_TEST(once.loss == again.loss);
    BOOST_TEST(copy(model.parameters()) == parameters, boost::test_tools::per_element());
    BOOST_TEST(copy(model.buffers()) == buffers, boost::test_tools::per_element());
    BOOST_TEST(trainer.step(images, targets) == never_evaluated.step(images, targets));
  }
  BOOST_TEST(trainer.steps() == 3);
}
BOOST_AUTO_TEST_CASE(forward_returns_the_scores_of_evaluation) {
  esp::model<Net> model{esp::seed{1}};
  esp::trainer trainer{model, nn::SoftmaxLoss{}, optim::Adam{}, esp::batch<7, 2, 3>{}};
  auto const images = floats<7, 2, 3>(1);
  trainer.step(images, labels<7>(2, 4));
  BOOST_TEST(all_close(trainer.forward(images), model(images)));
}
BOOST_AUTO_TEST_CASE(targets_that_are_numbers) {
  esp::model<nn::Linear<3, 2>, esp::cpu, double> model{esp::seed{1}};
  esp::trainer trainer{model, nn::MeanSquaredError{}, optim::SGD<>{}, esp::batch<4, 3>{}};
  auto const x = doubles<4, 3>(1);
  auto const target = doubles<4, 2>(2);
  auto const y = model(x);
  for (int count = 1; count <= 4; ++count) {
    double expected = 0;
    for (int i = 0; i < 2 * count; ++i) expected += (y[i] - target[i]) * (y[i] - target[i]) / (2 * count);
    BOOST_TEST(near(trainer.evaluate(x, target, count).loss, expected));
  }
}
BOOST_AUTO_TEST_CASE(the_first_of_equal_scores_counts) {
  esp::model<nn::Linear<1, 3>> model;
  for (float& element : model.parameters()) element = 0;
  esp::trainer trainer{model, nn::SoftmaxLoss{}, optim::SGD<>{}, esp::batch<3, 1>{}};
  BOOST_TEST(trainer.evaluate(tensor<float, shape<3, 1>>{}, tensor<std::int32_t, shape<3>>{0, 1, 0}).correct == 2);
}

namespace {
// A language model: the scores of all positions of all sequences are the rows of one matrix.
struct Positions {
  nn::Linear<3, 4> score;
  ESPALIER_MODULE(Positions, score)
  constexpr auto forward(auto x) const { return esp::reshape<-1, 4>(score(x)); }
};
}  // namespace
BOOST_AUTO_TEST_CASE(a_sample_has_several_rows_of_the_prediction) {
  esp::model<Positions, esp::cpu, double> model{esp::seed{1}};
  esp::trainer trainer{model, nn::SoftmaxLoss{}, optim::SGD<>{.learning_rate = 0}, esp::batch<5, 2, 3>{}};
  auto const x = doubles<5, 2, 3>(1);
  auto const y = labels<10>(2, 4);
  auto const scores = model(x);
  BOOST_TEST(near(trainer.evaluate(x, y).loss, trainer.step(x, y)));
  for (int count = 1; count <= 5; ++count) {
    double expected = 0;
    int correct = 0;
    for (int n = 0; n < 2 * count; ++n) {
      double sum = 0;
      int best = 0;
      for (int c = 0; c < 4; ++c) {
        sum += std::exp(scores(n, c));
        if (scores(n, c) > scores(n, best)) best = c;
      }
      expected += (std::log(sum) - scores(n, y[n])) / (2 * count);
      correct += best == y[n];
    }
    auto const found = trainer.evaluate(x, y, count);
    BOOST_TEST(near(found.loss, expected));
    BOOST_TEST(found.correct == correct);
    BOOST_TEST(found.count == 2 * count);
  }
}
