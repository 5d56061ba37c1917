// SPDX-License-Identifier: BSL-1.0
// value_and_grad(model, loss): gradients against differences of the loss, their names, and what a run of training
// changes.
#define BOOST_TEST_MODULE model_gradients
#include <boost/test/unit_test.hpp>

#include "support/nets.hpp"

using namespace test;
using esp::shape, esp::tensor;

namespace {

using Net = nn::Sequential<nn::Flatten, nn::Linear<6, 5>, nn::BatchNorm1d<5>, nn::Tanh,
                           nn::Residual<nn::Sequential<nn::Linear<5, 4>, nn::LayerNorm1d<4>, nn::Sigmoid,
                                                       nn::MaskedDropout<0.25, shape<7, 4>>, nn::Linear<4, 5>>>,
                           nn::ReLU, nn::Linear<5, 3, nn::no_bias>>;
using Images = nn::Sequential<nn::BatchNorm1d<2, nn::norm{.eps = 1e-2}>, nn::LayerNorm1d<4>, nn::Linear<4, 3>, nn::Tanh,
                              nn::Flatten, nn::Residual<nn::Linear<6, 6>>>;

/// Each gradient against the difference of the loss at two points. Training mode does not read running statistics, so
/// they may move.
template <class Net, class Loss, class X, class Y>
void check_gradients(X const& x, Y const& y, void (*prepare)(esp::model<Net, esp::cpu, double>&) = nullptr) {
  esp::model<Net, esp::cpu, double> model;
  scramble(model);
  if (prepare != nullptr) prepare(model);
  auto const loss = esp::value_and_grad(model, Loss{});
  auto const at = loss(x, y);
  std::string named;
  at.gradients.for_each_parameter([&](char const* name, esp::extents const& shape, auto gradients) {
    named += (named.empty() ? "" : " ") + (name + text(shape));
    auto const p = model.parameter(name).span();
    BOOST_REQUIRE(p.size() == gradients.size());
    for (std::int64_t i = 0; i < p.size(); ++i) {
      double const value_here = p[i], h = 1e-5;
      p[i] = value_here + h;
      double const up = loss(x, y).loss;
      p[i] = value_here - h;
      double const down = loss(x, y).loss;
      p[i] = value_here;
      BOOST_TEST(std::fabs(gradients[i] - (up - down) / (2 * h)) < 1e-8,
                 name << '[' << i << "]: " << gradients[i] << " and " << (up - down) / (2 * h));
    }
  });
  BOOST_TEST(named == parameter_list(model));
  BOOST_TEST(loss(x, y).loss == at.loss);
}

}  // namespace

BOOST_AUTO_TEST_CASE(gradients_of_a_whole_net_under_softmax_loss) {
  check_gradients<Net, nn::SoftmaxLoss>(doubles<7, 2, 3>(1), labels<7>(2, 3), [](auto& model) {
    for (std::int64_t i = 0; i < 28; ++i) model.buffer("4.fn.3.mask").span()[i] = i % 3 != 0;
  });
}
BOOST_AUTO_TEST_CASE(gradients_of_a_whole_net_under_mean_squared_error) {
  check_gradients<Net, nn::MeanSquaredError>(doubles<7, 2, 3>(3), doubles<7, 3>(4));
}
BOOST_AUTO_TEST_CASE(gradients_of_norms_of_rank_three) {
  check_gradients<Images, nn::SoftmaxLoss>(doubles<4, 2, 4>(5), labels<4>(6, 6));
}
BOOST_AUTO_TEST_CASE(gradients_with_a_batch_of_one_row) {
  check_gradients<nn::Sequential<nn::Linear<3, 4>, nn::LayerNorm1d<4>, nn::Linear<4, 2>>, nn::SoftmaxLoss>(
      doubles<1, 3>(1), labels<1>(1, 2));
}

BOOST_AUTO_TEST_CASE(the_loss_is_that_of_the_prediction) {
  esp::model<nn::Linear<3, 2>, esp::cpu, double> model{esp::seed{4}};
  auto const x = doubles<5, 3>(1);
  tensor<double, shape<5, 2>> targets{};
  auto const prediction = model(x);
  double expected = 0;
  for (int i = 0; i < 10; ++i) expected += prediction[i] * prediction[i] / 10;
  BOOST_TEST(near(esp::value_and_grad(model, nn::MeanSquaredError{})(x, targets).loss, expected));
}
BOOST_AUTO_TEST_CASE(names_that_no_parameter_has) {
  esp::model<nn::Sequential<nn::Linear<3, 2>, nn::BatchNorm1d<2>>> model;
  auto const gradients = esp::value_and_grad(model, nn::SoftmaxLoss{})(floats<4, 3>(1), labels<4>(1, 2)).gradients;
  BOOST_TEST(static_cast<bool>(gradients.parameter("1.bias")));
  for (char const* name : {"", "0", "0.weigh", "0.weights", "2.weight", "1.running_mean", "weight"}) {
    BOOST_TEST(!gradients.find_parameter(name));
    BOOST_TEST(!model.find_parameter(name));
    BOOST_TEST(model.find_parameter(name).span().size() == 0);
  }
  BOOST_TEST(!model.find_buffer("1.weight"));
  BOOST_TEST(static_cast<bool>(model.buffer("1.running_mean")));
}
BOOST_AUTO_TEST_CASE(gradients_are_values) {
  esp::model<nn::Linear<3, 2>> model;
  auto first = esp::value_and_grad(model, nn::SoftmaxLoss{})(floats<4, 3>(1), labels<4>(1, 2)).gradients;
  auto copied = first;
  auto const before = copy(first.span());
  copied.span()[0] = 7;
  BOOST_TEST(copy(first.span()) == before, boost::test_tools::per_element());
  first = copied;
  BOOST_TEST(first.span()[0] == 7);
}

BOOST_AUTO_TEST_CASE(grad_gives_the_gradients_alone) {
  esp::model<nn::Linear<3, 2>, esp::cpu, double> model{esp::seed{4}};
  auto const x = doubles<5, 3>(1);
  auto const y = labels<5>(1, 2);
  auto const both = esp::value_and_grad(model, nn::SoftmaxLoss{})(x, y);
  auto const gradients = esp::grad(model, nn::SoftmaxLoss{})(x, y);
  BOOST_TEST(gradients.span().size() > 0);
  for (std::int64_t i = 0; i < gradients.span().size(); ++i)
    BOOST_TEST(gradients.span()[i] == both.gradients.span()[i]);
}

BOOST_AUTO_TEST_CASE(a_label_outside_the_classes_throws) {
  esp::model<nn::Linear<3, 2>, esp::cpu, double> model{esp::seed{4}};
  auto y = labels<5>(1, 2);
  y[3] = 2;
  BOOST_CHECK_THROW(esp::value_and_grad(model, nn::SoftmaxLoss{})(doubles<5, 3>(1), y), esp::label_error);
}
