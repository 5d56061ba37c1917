// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE nn_cross_entropy_loss
#include <boost/test/unit_test.hpp>

#include "support/check_pullback.hpp"
#include "support/losses.hpp"

using namespace test;
using esp::shape, esp::tensor;

namespace {
using labels_of_three = tensor<std::int32_t, shape<3>>;
constexpr esp::label_loss padded{.ignore_index = -100};
using Padded = nn::CrossEntropyLoss<padded>;

template <class F>
std::string message_of(F f) {
  try {
    f();
  } catch (esp::label_error const& e) {
    return e.what();
  }
  return "nothing was thrown";
}
}  // namespace

BOOST_AUTO_TEST_CASE(mean_and_its_gradient) {
  auto const z = doubles<5, 4>(1, -3, 3);
  auto const y = labels<5>(2, 4);
  auto const [loss, gradients] = loss_of<double, nn::CrossEntropyLoss<>>(z, y);
  auto const softmax = loss_of<double, nn::SoftmaxLoss>(z, y);
  BOOST_TEST(near(loss, softmax.loss));
  for (int i = 0; i < 20; ++i) BOOST_TEST(near(gradients.span()[i], softmax.gradients.span()[i]));
}
// The weighted mean divides by the weights of the labels.
BOOST_AUTO_TEST_CASE(weights_of_classes) {
  using loss = nn::CrossEntropyLoss<esp::label_loss{.label_smoothing = 0.2}, nn::class_weights<1.0, 4.0, 0.5>>;
  tensor<double, shape<3, 3>> const z{{0, 1, 2}, {1, 0, 0}, {3, 3, 3}};
  labels_of_three const y{2, 0, 1};
  tensor<double, shape<3>> const weight{1, 4, 0.5};
  tensor<double, shape<>> const expected = esp::cross_entropy<esp::label_loss{.label_smoothing = 0.2}>(z, y, weight);
  BOOST_TEST(near(loss_of<double, loss>(z, y).loss, expected[0]));
}
BOOST_AUTO_TEST_CASE(each_by_itself_is_a_function) {
  nn::CrossEntropyLoss<esp::label_loss{.reduce = esp::reduce::none}> const loss;
  tensor<float, shape<2, 2>> const z{{0, 0}, {1, 1}};
  tensor<std::int32_t, shape<2>> const y{0, 1};
  tensor<float, shape<2>> const l = loss(z, y);
  for (int i = 0; i < 2; ++i) BOOST_TEST(l[i] == std::log(2.0f), boost::test_tools::tolerance(1e-6f));
}
BOOST_AUTO_TEST_CASE(an_ignored_label_is_accepted_and_any_other_throws) {
  esp::model<nn::Linear<2, 4>, esp::cpu, double> model;
  esp::trainer trainer{model, Padded{}, optim::SGD{.learning_rate = 0.1}, esp::batch<3, 2>{}};
  auto const x = doubles<3, 2>(1);
  std::vector<double> const before = copy(model.parameters());
  BOOST_TEST(trainer.step(x, labels_of_three{-100, -100, -100}) == 0);
  BOOST_TEST(copy(model.parameters()) == before, boost::test_tools::per_element());
  BOOST_TEST(message_of([&] {
               trainer.step(x, labels_of_three{0, -100, 4});
             }) == "labels: expected 0 to 3 or -100, got 4 at position 2");
  BOOST_TEST(message_of([&] {
               trainer.step(x, labels_of_three{0, -1, 3});
             }) == "labels: expected 0 to 3 or -100, got -1 at position 1");
  BOOST_TEST(message_of([&] {
               esp::value_and_grad(model, Padded{})(x, labels_of_three{0, 1, 9});
             }) == "labels: expected 0 to 3 or -100, got 9 at position 2");
  BOOST_TEST(copy(model.parameters()) == before, boost::test_tools::per_element());
  BOOST_TEST(trainer.step(x, labels_of_three{0, -100, 3}) > 0);

  esp::trainer strict{model, nn::CrossEntropyLoss<>{}, optim::SGD{.learning_rate = 0.1}, esp::batch<3, 2>{}};
  BOOST_TEST(message_of([&] {
               strict.step(x, labels_of_three{0, -100, 3});
             }) == "labels: expected 0 to 3, got -100 at position 1");
}
// Ignored labels are neither right nor wrong.
BOOST_AUTO_TEST_CASE(evaluation_counts_labels_that_count) {
  esp::model<nn::Identity, esp::cpu, double> model;
  esp::trainer trainer{model, Padded{}, optim::SGD{}, esp::batch<3, 2>{}};
  tensor<double, shape<3, 2>> const x{{0, 5}, {5, 0}, {1, 1}};
  auto const found = trainer.evaluate(x, labels_of_three{1, -100, 1});
  BOOST_TEST(found.count == 2);
  BOOST_TEST(found.correct == 1);
  BOOST_TEST(near(found.loss, (std::log1p(std::exp(-5.0)) + std::log(2.0)) / 2));
}
// One label for each place of an image; the classes lie on axis 1.
BOOST_AUTO_TEST_CASE(places_of_images) {
  esp::model<nn::Identity, esp::cpu, double> model;
  esp::trainer trainer{model, Padded{}, optim::SGD{}, esp::batch<2, 3, 2>{}};
  tensor<double, shape<2, 3, 2>> const x{{{9, 0}, {0, 9}, {0, 0}}, {{0, 0}, {0, 0}, {9, 9}}};
  tensor<std::int32_t, shape<2, 2>> const y{{0, 1}, {2, -100}};
  auto const found = trainer.evaluate(x, y);
  BOOST_TEST(found.count == 3);
  BOOST_TEST(found.correct == 3);
  double const right = std::log1p(2 * std::exp(-9.0));
  BOOST_TEST(near(found.loss, right));
  BOOST_TEST(near(trainer.step(x, y), right));
  BOOST_TEST(message_of([&] {
               trainer.step(x, tensor<std::int32_t, shape<2, 2>>{{0, 1}, {3, 0}});
             }) == "labels: expected 0 to 2 or -100, got 3 at position 2");
}
