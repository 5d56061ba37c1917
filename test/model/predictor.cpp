// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE model_predictor
#include <boost/test/unit_test.hpp>

#include "support/nets.hpp"

using namespace test;
using esp::shape, esp::tensor;

namespace {
using Net = nn::Sequential<nn::Flatten, nn::Linear<6, 8>, nn::BatchNorm1d<8>, nn::ReLU, nn::Dropout<0.3>,
                           nn::Residual<nn::Linear<8, 8>>, nn::Linear<8, 4>>;
using predictor_of_three = esp::predictor<esp::model<Net>, esp::batch<3, 2, 3>>;
static_assert(std::is_same_v<predictor_of_three::output_shape, shape<3, 4>>);
static_assert(noexcept(std::declval<predictor_of_three&>()(std::declval<tensor<float, shape<3, 2, 3>> const&>(),
                                                           std::declval<tensor<float, shape<3, 4>>&>())));
}  // namespace

BOOST_AUTO_TEST_CASE_TEMPLATE(matches_the_model, T, decltype(std::tuple<float, double>{})) {
  esp::model<Net, esp::cpu, T> model{esp::seed{1}};
  esp::trainer trainer{model, nn::SoftmaxLoss{}, optim::Adam{.learning_rate = 0.05}, esp::batch<3, 2, 3>{}};
  esp::predictor predict{model, esp::batch<3, 2, 3>{}};
  auto const images = numbers<T, shape<3, 2, 3>>(1);
  tensor<T, shape<3, 4>> scores;
  for (int step = 0; step < 3; ++step) {  // a predictor follows its model
    trainer.step(images, labels<3>(1, 4));
    predict(images, scores);
    BOOST_TEST(scores == model(images));
  }
  auto const first = scores;
  predict(images, scores);
  BOOST_TEST(scores == first);
}
BOOST_AUTO_TEST_CASE(a_sample_has_the_same_scores_in_any_batch) {
  esp::model<Net, esp::cpu, double> model{esp::seed{1}};
  esp::predictor all{model, esp::batch<3, 2, 3>{}};
  esp::predictor one{model, esp::batch<1, 2, 3>{}};
  auto const images = doubles<3, 2, 3>(1);
  tensor<double, shape<3, 4>> scores;
  all(images, scores);
  for (int n = 0; n < 3; ++n) {
    tensor<double, shape<1, 4>> alone;
    one(esp::view<double const, shape<1, 2, 3>>(images.data() + 6 * n), alone);
    for (int c = 0; c < 4; ++c) BOOST_TEST(near(alone[c], scores(n, c)));
  }
}
BOOST_AUTO_TEST_CASE(scores_may_be_a_view_and_input_and_model_are_only_read) {
  esp::model<Net> const model{esp::seed{1}};
  auto const parameters = copy(model.parameters());
  esp::predictor predict{model, esp::batch<3, 2, 3>{}};
  auto const images = floats<3, 2, 3>(1);
  auto const before = images;
  float scores[14];
  scores[0] = scores[13] = 77;
  predict(images, esp::view<float, shape<3, 4>>(scores + 1));
  auto const expected = model(images);
  for (int i = 0; i < 12; ++i) BOOST_TEST(scores[i + 1] == expected[i]);
  BOOST_TEST((scores[0] == 77 && scores[13] == 77));
  BOOST_TEST(images == before);
  BOOST_TEST(copy(model.parameters()) == parameters, boost::test_tools::per_element());
}
