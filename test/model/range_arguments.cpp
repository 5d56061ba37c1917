// SPDX-License-Identifier: BSL-1.0
// Trainers, predictors and gradients with memory of the user.
#define BOOST_TEST_MODULE model_range_arguments
#include <boost/test/unit_test.hpp>

#include <array>
#include <span>
#include <string>
#include <vector>

#include <espalier.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;
namespace optim = espalier::optim;
using esp::shape;
using esp::tensor;
using esp::view;

namespace {

using Net = nn::Sequential<nn::Linear<4, 3>>;
using two = esp::batch<2, 4>;
using three = esp::batch<3, 4>;

std::vector<float> const images{1, 2, 3, 4, 5, 6, 7, 8}, more_images(12, 0.5f);
std::vector<int> const labels{0, 2}, more_labels{0, 1, 2};

struct training {
  esp::model<Net> model{esp::seed{1}};
  esp::trainer<esp::model<Net>, nn::SoftmaxLoss, optim::SGD<>, two, three> trainer{
      model, nn::SoftmaxLoss{}, {.learning_rate = 0.1}, two{}, three{}};
};

template <class F>
std::string error_of(F const& f) {
  try {
    f();
  } catch (esp::range_error const& error) {
    return error.what();
  }
  return {};
}

}  // namespace

BOOST_AUTO_TEST_CASE(steps_read_ranges_where_they_are) {
  training of_tensors, of_ranges;
  tensor<float, two> const x = images;
  tensor<std::int32_t, shape<2>> const y = labels;
  tensor<float, three> const more_x = more_images;
  tensor<std::int32_t, shape<3>> const more_y = more_labels;
  auto& reference = of_tensors.trainer;
  auto& got = of_ranges.trainer;
  BOOST_TEST(got.step(images, labels) == reference.step(x, y));
  BOOST_TEST(got.step(more_images, more_labels) == reference.step(more_x, more_y),
             "the number of elements says which batch it is");
  BOOST_TEST(got.step(x, labels) == reference.step(x, y));
  BOOST_TEST(got.step(more_x, std::span<int const>(more_labels)) == reference.step(more_x, more_y));
  BOOST_TEST(got.step(view<float const, two>(images), y) == reference.step(x, y));
  float const array[3][4]{};
  std::array<int, 3> const of_array{2, 1, 0};
  BOOST_TEST(got.step(array, of_array) ==
             reference.step(tensor<float, three>{}, tensor<std::int32_t, shape<3>>{2, 1, 0}));
  got.step(images, labels, esp::queued{});
  reference.step(x, y, esp::queued{});
  esp::evaluation const a = got.evaluate(images, labels), b = reference.evaluate(x, y),
                        first = got.evaluate(x, labels, 1), of_one = reference.evaluate(x, y, 1);
  BOOST_TEST(
      (a.loss == b.loss && a.correct == b.correct && a.count == 2 && first.loss == of_one.loss && first.count == 1));
}

BOOST_AUTO_TEST_CASE(other_sizes_change_nothing) {
  training t;
  std::vector<float> const before(t.model.parameters().begin(), t.model.parameters().end());
  BOOST_TEST(error_of([&] { t.trainer.step(std::vector<float>(5), labels); }) ==
             "trainer.step(images, targets): images of the first batch: expected 8 elements, got 5");
  BOOST_TEST(error_of([&] { t.trainer.step(images, more_labels); }) ==
             "trainer.step(images, targets): targets: expected 2 elements, got 3");
  BOOST_TEST(error_of([&] { t.trainer.evaluate(more_images, labels); }) ==
             "trainer.evaluate(images, targets): images: expected 8 elements, got 12");
  BOOST_TEST(error_of([&] {
               esp::value_and_grad(t.model, nn::SoftmaxLoss{})(view<float const, two>(images), more_labels);
             }) == "value_and_grad(model, loss)(x, y): y: expected 2 elements, got 3");
  BOOST_CHECK_THROW(t.trainer.step(images, std::vector<int>{0, 3}), esp::label_error);
  BOOST_TEST(before == std::vector<float>(t.model.parameters().begin(), t.model.parameters().end()));
  BOOST_TEST((t.trainer.steps() == 0 && t.model.random_steps() == 0));
}

BOOST_AUTO_TEST_CASE(predictors_read_and_write_ranges) {
  esp::model<Net> const model{esp::seed{2}};
  esp::predictor predict{model, two{}};
  esp::frozen frozen{model, two{}};
  tensor<float, shape<2, 3>> reference;
  predict(tensor<float, two>(images), reference);
  std::vector<float> scores(6);
  predict(images, scores);
  BOOST_TEST((tensor<float, shape<2, 3>>(scores) == reference));
  std::array<float, 6> others{};
  predict(view<float const, two>(images), std::span<float>(others));
  BOOST_TEST((tensor<float, shape<2, 3>>(others) == reference));
  scores.assign(6, 0.0f);
  frozen(images, scores);
  BOOST_TEST((all_close(view<float const, shape<2, 3>>(scores), reference)));
  std::vector<float> few(5, 7.0f);
  BOOST_TEST(error_of([&] { predict(images, few); }) == "predictor(x, scores): scores: expected 6 elements, got 5");
  BOOST_TEST(error_of([&] { frozen(more_images, scores); }) == "frozen(x, scores): x: expected 8 elements, got 12");
  BOOST_TEST(few[0] == 7.0f);
}

BOOST_AUTO_TEST_CASE(gradients_accept_targets_of_ranges) {
  training t;
  view<float const, two> const x = images;
  auto const reference = esp::value_and_grad(t.model, nn::SoftmaxLoss{})(x, tensor<std::int32_t, shape<2>>(labels));
  auto const got = esp::value_and_grad(t.model, nn::SoftmaxLoss{})(x, labels);
  BOOST_TEST(got.loss == reference.loss);
}
