// SPDX-License-Identifier: BSL-1.0
// Modules run by the compiler: forward passes, losses and gradients of small nets as static_asserts, and the same
// numbers at run time.
#define BOOST_TEST_MODULE constexpr_modules
#include <boost/test/unit_test.hpp>

#include <espalier/model/gradient_agrees.hpp>
#include <espalier/nn/nn.hpp>
#include <espalier/operation/operation.hpp>
#include <espalier/storage/all_close.hpp>

#include "support/nets.hpp"

using namespace test;
using esp::shape, esp::tensor;

namespace {

template <class T>
constexpr double within = std::is_same_v<T, float> ? 1e-6 : 1e-14;
template <class T>
constexpr bool is_near(T a, double b) {
  return esp::math::abs(static_cast<double>(a) - b) <= within<T> * (1 + esp::math::abs(b));
}

// ---- Linear: y = x W + b, and every gradient of it by hand.

template <class T>
constexpr auto linear = esp::constant_model<nn::Linear<2, 3>, T>{}
                            .template with<"weight">({1, 2, 3, 4, 5, 6})
                            .template with<"bias">({1, 0, -1});
template <class T>
constexpr tensor<T, shape<2, 2>> x2{{1, 2}, {-1, 1}};
template <class T>
constexpr tensor<T, shape<2, 3>> linear_target{{9, 12, 15}, {4, 4, 3}};
template <class T>
constexpr auto linear_step = esp::value_and_grad(linear<T>, nn::MeanSquaredError{})(x2<T>, linear_target<T>);
template <class T>
constexpr bool linear_is_right() {
  // (1,2) W = (9,12,15), (-1,1) W = (3,3,3).
  static_assert(linear<T>(x2<T>) == tensor<T, shape<2, 3>>{{10, 12, 14}, {4, 3, 2}});
  // Differences (1,0,-1) and (0,-1,-1): loss 4/6; dy = difference / 3.
  static_assert(is_near(linear_step<T>.loss, 2.0 / 3));
  constexpr auto dw = linear_step<T>.gradients.template get<"weight">(),
                 db = linear_step<T>.gradients.template get<"bias">();
  static_assert(is_near(dw[0], 1.0 / 3) && is_near(dw[1], 1.0 / 3) && is_near(dw[2], 0));
  static_assert(is_near(dw[3], 2.0 / 3) && is_near(dw[4], -1.0 / 3) && is_near(dw[5], -1));
  static_assert(is_near(db[0], 1.0 / 3) && is_near(db[1], -1.0 / 3) && is_near(db[2], -2.0 / 3));
  return true;
}
static_assert(linear_is_right<float>() && linear_is_right<double>());

// ---- LayerNorm1d: 1, 3, 5, 7 have the mean 4 and the deviation sqrt(5).

using Norm = nn::LayerNorm1d<4, nn::norm{.eps = 0}>;
template <class T>
constexpr auto norm = esp::constant_model<Norm, T>{}.with("weight", {1, 2, 1, 2}).with("bias", {0, 0, 1, 1});
template <class T>
constexpr tensor<T, shape<1, 4>> odd{{1, 3, 5, 7}};
template <class T>
constexpr auto norm_step = esp::value_and_grad(norm<T>, Weighted{})(odd<T>, tensor<T, shape<1, 4>>{{1, 1, 1, 10}});
template <class T>
constexpr bool norm_is_right() {
  constexpr tensor<T, shape<1, 4>> y = norm<T>(odd<T>);
  static_assert(is_near(y[0], -1.3416407864998738) && is_near(y[1], -0.8944271909999159));
  static_assert(is_near(y[2], 1.4472135954999579) && is_near(y[3], 3.6832815729997477));
  constexpr auto dw = norm_step<T>.gradients["weight"], db = norm_step<T>.gradients["bias"];
  static_assert(is_near(dw[0], -1.3416407864998738) && is_near(dw[3], 13.416407864998738));
  static_assert(db[0] == 1 && db[3] == 10);
  return true;
}
static_assert(norm_is_right<float>() && norm_is_right<double>());

// ---- A perceptron of two layers, with a ReLU that lets one of two pass.

using Perceptron = nn::Sequential<nn::Linear<2, 2>, nn::ReLU, nn::Linear<2, 2>>;
template <class T>
constexpr auto perceptron = esp::constant_model<Perceptron, T>{}
                                .template with<"0.weight">({1, -1, 1, -1})
                                .template with<"0.bias">({0, 1})
                                .template with<"2.weight">({1, 2, 5, 7})
                                .template with<"2.bias">({0, -3});
template <class T>
constexpr tensor<T, shape<1, 2>> pair{{1, 2}};
constexpr tensor<std::int32_t, shape<1>> second{1};
template <class T>
constexpr auto perceptron_step = esp::value_and_grad(perceptron<T>, nn::SoftmaxLoss{})(pair<T>, second);
template <class T>
constexpr bool perceptron_is_right() {
  // Hidden (3, -2), after ReLU (3, 0); scores (3, 3).
  static_assert(perceptron<T>(pair<T>) == tensor<T, shape<1, 2>>{{3, 3}});
  static_assert(is_near(perceptron_step<T>.loss, 0.6931471805599453));
  // dz = softmax - one_hot = (1/2, -1/2). The hidden gradient is (1/2 - 1, 0).
  constexpr auto dw2 = perceptron_step<T>.gradients.template get<"2.weight">(),
                 db2 = perceptron_step<T>.gradients.template get<"2.bias">();
  static_assert(is_near(dw2[0], 1.5) && is_near(dw2[1], -1.5) && dw2[2] == 0 && dw2[3] == 0 && is_near(db2[0], 0.5));
  constexpr auto dw0 = perceptron_step<T>.gradients.template get<"0.weight">(),
                 db0 = perceptron_step<T>.gradients.template get<"0.bias">();
  static_assert(is_near(dw0[0], -0.5) && dw0[1] == 0 && is_near(dw0[2], -1) && dw0[3] == 0 && is_near(db0[0], -0.5) &&
                db0[1] == 0);
  return true;
}
static_assert(perceptron_is_right<float>() && perceptron_is_right<double>());

// ---- BatchNorm1d in both modes: training takes the statistics of its batch and moves the running ones by a tenth.

using Batched = nn::BatchNorm1d<1, nn::norm{.eps = 0}>;
constexpr esp::constant_model<Batched, double> batch_norm{};
constexpr tensor<double, shape<4, 1>> even{{4}, {6}, {8}, {10}};
static_assert(batch_norm(even) == even);  // running mean 0 and variance 1
constexpr auto batch_step =
    esp::value_and_grad(batch_norm, nn::MeanSquaredError{})(even, tensor<double, shape<4, 1>>{});
static_assert(is_near(batch_step.loss, 1));  // the mean of the squares of normalized numbers
static_assert(is_near(batch_step.buffers.get<"running_mean">()[0], 0.7) &&
              is_near(batch_step.buffers.get<"running_var">()[0], 0.9 + 0.5));

// ---- A net of everything, that begins as a model does. At run time the same numbers come from the kernels.

using Net = nn::Sequential<nn::Linear<3, 4>, nn::LayerNorm1d<4>, nn::ReLU, nn::Dropout<0.25>,
                           nn::Residual<nn::Linear<4, 4>>, nn::BatchNorm1d<4>, nn::Linear<4, 2>>;
template <class T>
constexpr esp::constant_model<Net, T> net{esp::seed{5}};
template <class T>
constexpr tensor<T, shape<4, 3>> samples{
    {T(0.5), T(-1), T(2)}, {T(1.5), T(0.25), T(-0.75)}, {T(-2), T(1), T(0.5)}, {T(0.125), T(0.5), T(-1.5)}};
constexpr tensor<std::int32_t, shape<4>> classes{0, 1, 1, 0};
template <class T>
constexpr auto scores = net<T>(samples<T>);
template <class T>
constexpr auto step = esp::value_and_grad(net<T>, nn::SoftmaxLoss{})(samples<T>, classes);
static_assert(net<float>.parameter_count == 3 * 4 + 4 + 8 + 4 * 4 + 4 + 8 + 4 * 2 + 2);
static_assert(step<float>.loss > 0 && is_near(step<float>.loss, step<double>.loss));

// The gradient of all parameters agrees with the loss along a random direction, with dropout and the statistics of the
// batch.
static_assert(esp::gradient_agrees(net<double>, nn::SoftmaxLoss{})(samples<double>, classes));
static_assert(esp::gradient_agrees(net<float>, nn::SoftmaxLoss{}, {.seed = 3})(samples<float>, classes));

// A module that hides a part of its formula from differentiation has another gradient than value.
struct Half {
  nn::Linear<3, 2> layer{};
  ESPALIER_MODULE(Half, layer)
  constexpr auto forward(auto x) const { return layer(x) + detach(layer(x)); }
};
static_assert(!esp::gradient_agrees(esp::constant_model<Half, double>{}, nn::SoftmaxLoss{})(samples<double>, classes));
// Frozen parameters are not moved.
using HalfFrozen = nn::Sequential<nn::Frozen<nn::Linear<3, 4>>, nn::Tanh, nn::Linear<4, 2>>;
static_assert(esp::gradient_agrees(esp::constant_model<HalfFrozen, double>{}, nn::SoftmaxLoss{})(samples<double>,
                                                                                                 classes));

}  // namespace

using both = std::tuple<float, double>;

BOOST_AUTO_TEST_CASE_TEMPLATE(begins_as_a_model_does, T, both) {
  esp::model<Net, esp::cpu, T> const model{esp::seed{5}};
  for (std::int64_t i = 0; i < model.parameters().size(); ++i)
    BOOST_TEST(model.parameters()[i] == net<T>.parameters.elements()[i], boost::test_tools::tolerance(T(1e-15)));
  for (std::int64_t i = 0; i < model.buffers().size(); ++i)
    BOOST_TEST(model.buffers()[i] == net<T>.buffers.elements()[i]);
}
BOOST_AUTO_TEST_CASE_TEMPLATE(forward_as_the_kernels_do, T, both) {
  esp::model<Net, esp::cpu, T> const model{esp::seed{5}};
  BOOST_TEST(all_close(model(samples<T>), scores<T>, 10 * within<T>, 10 * within<T>));
}
BOOST_AUTO_TEST_CASE_TEMPLATE(gradients_as_the_kernels_do, T, both) {
  esp::model<Net, esp::cpu, T> model{esp::seed{5}};
  auto const now = esp::value_and_grad(model, nn::SoftmaxLoss{})(samples<T>, classes);
  BOOST_TEST(near(static_cast<double>(now.loss), static_cast<double>(step<T>.loss), 10 * within<T>));
  for (std::int64_t i = 0; i < now.gradients.span().size(); ++i)
    BOOST_TEST(near(static_cast<double>(now.gradients.span()[i]), static_cast<double>(step<T>.gradients.elements()[i]),
                    10 * within<T>));
  for (std::int64_t i = 0; i < model.buffers().size(); ++i)
    BOOST_TEST(near(static_cast<double>(model.buffers()[i]), static_cast<double>(step<T>.buffers.elements()[i]),
                    10 * within<T>));
}
BOOST_AUTO_TEST_CASE(each_run_has_its_own_random_numbers) {
  esp::model<Net, esp::cpu, double> model{esp::seed{5}};
  auto next = net<double>;
  for (int run = 0; run < 3; ++run) {
    auto const now = esp::value_and_grad(model, nn::SoftmaxLoss{})(samples<double>, classes);
    auto const then = esp::value_and_grad(next, nn::SoftmaxLoss{})(samples<double>, classes);
    BOOST_TEST(near(now.loss, then.loss));
    next.buffers = then.buffers;
    ++next.random_step;
  }
}
BOOST_AUTO_TEST_CASE(a_label_outside_the_classes_throws_at_run_time_too) {
  BOOST_CHECK_THROW(
      esp::value_and_grad(net<float>, nn::SoftmaxLoss{})(samples<float>, tensor<std::int32_t, shape<4>>{0, 2, 1, 0}),
      esp::label_error);
}
