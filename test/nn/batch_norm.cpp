// SPDX-License-Identifier: BSL-1.0
// BatchNorm over any rank and channel axis, and BatchNorm2d, against plain loops; BatchNorm1d is in norm.cpp.
#define BOOST_TEST_MODULE nn_batch_norm
#include <boost/test/unit_test.hpp>

#include "support/norms.hpp"

using namespace test;
using esp::shape, esp::tensor;

static_assert(esp::output_shape<nn::BatchNorm2d<3>, shape<2, 3, 4, 4>> == shape<2, 3, 4, 4>{} &&
              esp::parameter_count<nn::BatchNorm2d<3>> == 6);
static_assert(esp::output_shape<nn::BatchNorm<3, -1>, shape<2, 4, 4, 3>> == shape<2, 4, 4, 3>{});
static_assert(esp::output_shape<nn::BatchNorm<3, 2>, shape<2, 4, 3, 5>> == shape<2, 4, 3, 5>{});
static_assert(esp::output_shape<nn::BatchNorm<3>, shape<2, 3, 2, 2, 2, 2>> == shape<2, 3, 2, 2, 2, 2>{});
static_assert(esp::parameter_count<nn::BatchNorm<3, -1, nn::norm{.affine = false}>> == 0);

namespace {
/// One training step and what evaluation makes of it. Behind: the number of elements behind the channel axis.
template <class M, int Channels, int Behind, nn::norm Options, class X>
void check(X const& x) {
  auto const channel = [](int at) { return at / Behind % Channels; };
  model_of<M> model;
  scramble(model, 0.5, 2);
  auto const of = moments_of(x, channel);
  X const normal = normalized_by(x, of, Options.eps, channel), expected = with_affine(normal, model, channel);
  std::vector<moments> const start(Channels, {1, 0, 1});
  check_close("evaluation at the start", model(x),
              with_affine(normalized_by(x, start, Options.eps, channel), model, channel), 1e-10);
  esp::value_and_grad(model, Weighted{})(x, X{});
  std::vector<moments> running;
  double const count = static_cast<double>(X::size()) / Channels,
               correction = Options.variance == nn::unbiased ? count / (count - 1) : 1;
  for (auto const& m : of)
    running.push_back(
        {count, Options.momentum * m.mean, 1 - Options.momentum + Options.momentum * correction * m.variance});
  for (int c = 0; c < Channels; ++c) {
    BOOST_TEST(near(model.buffer("running_mean").span()[c], running[static_cast<std::size_t>(c)].mean));
    BOOST_TEST(near(model.buffer("running_var").span()[c], running[static_cast<std::size_t>(c)].variance));
  }
  check_close("evaluation", model(x), with_affine(normalized_by(x, running, Options.eps, channel), model, channel),
              1e-10);
  check_close("training", training_output(model, x), expected, 1e-10);
  check_gradients<true>(model, x, normal, of, Options.eps, channel, channel);
}

/// One norm for two inputs, and for what it made of the first one.
template <nn::norm Options>
struct Shared {
  nn::BatchNorm1d<3, Options> norm{};
  ESPALIER_MODULE(Shared, norm)
  constexpr auto forward(auto x) const {
    auto const y = norm(x);
    return y + norm(3 * x + 1) * norm(y * y);
  }
};
struct Twice {
  nn::BatchNorm1d<1> norm{};
  ESPALIER_MODULE(Twice, norm)
  constexpr auto forward(auto x) const { return norm(x) + norm(x); }
};
/// The mean and the variance of column c, over N or N - 1.
template <class X>
moments of_column(X const& x, int c, bool unbiased) {
  constexpr int rows = X::shape_type::value.at[0];
  double mean = 0, variance = 0;
  for (int i = 0; i < rows; ++i) mean += x(i, c) / rows;
  for (int i = 0; i < rows; ++i) variance += (x(i, c) - mean) * (x(i, c) - mean) / (unbiased ? rows - 1 : rows);
  return {static_cast<double>(rows), mean, variance};
}
template <nn::norm Options>
void check_shared() {
  using X = tensor<double, shape<6, 3>>;
  constexpr bool unbiased = Options.variance == nn::unbiased;
  esp::model<Shared<Options>, esp::cpu, double> model{esp::seed{1}};
  esp::trainer trainer{model, Weighted{}, optim::SGD<>{.learning_rate = 0}, esp::batch<6, 3>{}};
  double mean[3]{}, variance[3]{1, 1, 1};
  for (std::uint64_t step = 0; step < 3; ++step) {
    X const x = doubles<6, 3>(step, -2, 3), second = 3 * x + 1, y = normalize<0>(x, Options.eps), third = y * y;
    if (step == 1) trainer.step(x, x);
    else (void)esp::value_and_grad(model, Weighted{})(x, x);
    for (int c = 0; c < 3; ++c) {
      for (X const* const seen : {&x, &second, &third}) {
        moments const m = of_column(*seen, c, unbiased);
        mean[c] += Options.momentum * (m.mean - mean[c]);
        variance[c] += Options.momentum * (m.variance - variance[c]);
      }
      BOOST_TEST(near(model.buffer("norm.running_mean").span()[c], mean[c]));
      BOOST_TEST(near(model.buffer("norm.running_var").span()[c], variance[c]));
    }
  }
  // Evaluation uses the statistics and leaves them as they are.
  X const x = doubles<6, 3>(7), evaluated = model(x);
  auto const norm = [&](double value, int c) { return (value - mean[c]) / std::sqrt(variance[c] + Options.eps); };
  for (int i = 0; i < 6; ++i)
    for (int c = 0; c < 3; ++c) {
      double const y = norm(x(i, c), c);
      BOOST_TEST(near(evaluated(i, c), y + norm(3 * x(i, c) + 1, c) * norm(y * y, c), 1e-10));
      BOOST_TEST(near(model.buffer("norm.running_mean").span()[c], mean[c]));
    }
}
}  // namespace

BOOST_AUTO_TEST_CASE(each_call_observes_as_in_pytorch) {
  check_shared<nn::norm{}>();
  check_shared<nn::norm{.momentum = 0.3, .variance = nn::unbiased}>();
}
// The same input twice is two observations: 1 - 0.9^2 of the mean.
BOOST_AUTO_TEST_CASE(the_same_input_twice_is_observed_twice) {
  model_of<Twice> model;
  tensor<double, shape<2, 1>> const x{{9}, {11}};
  (void)esp::value_and_grad(model, Weighted{})(x, x);
  BOOST_TEST(near(model.buffer("norm.running_mean").span()[0], 1.9));
  BOOST_TEST(near(model.buffer("norm.running_var").span()[0], 1));
}
BOOST_AUTO_TEST_CASE(parameters_and_buffers) {
  model_of<nn::BatchNorm2d<3>> model;
  BOOST_TEST(parameter_list(model) == "weight(3) bias(3)");
  BOOST_TEST(buffer_list(model) == "running_mean(3) running_var(3)");
  model_of<nn::BatchNorm<3, -1, nn::norm{.affine = false}>> plain;
  BOOST_TEST(parameter_list(plain) == "");
  BOOST_TEST(buffer_list(plain) == "running_mean(3) running_var(3)");
  model_of<nn::BatchNorm<3, 1, nn::norm{.untracked = true}>> untracked;
  BOOST_TEST(parameter_list(untracked) == "weight(3) bias(3)");
  BOOST_TEST(buffer_list(untracked) == "");
}
BOOST_AUTO_TEST_CASE(three_statistics_of_three_channels) {
  BOOST_TEST(statistics<nn::BatchNorm2d<3>>(doubles<2, 3, 2, 2>(1)) == 3);
}
BOOST_AUTO_TEST_CASE(channels_second) {
  check<nn::BatchNorm2d<3>, 3, 16, nn::norm{}>(doubles<2, 3, 4, 4>(1, -2, 3));
  constexpr nn::norm options{.eps = 1e-3, .momentum = 0.3, .variance = nn::unbiased};
  check<nn::BatchNorm<2, 1, options>, 2, 8, options>(doubles<3, 2, 2, 2, 2>(2, -2, 3));
}
BOOST_AUTO_TEST_CASE(channels_last) {
  constexpr nn::norm options{.momentum = 0.9, .affine = false};
  check<nn::BatchNorm<3, -1, options>, 3, 1, options>(doubles<2, 4, 2, 3>(3, -2, 3));
}
BOOST_AUTO_TEST_CASE(channels_last_is_channels_second_with_the_axes_moved) {
  model_of<nn::BatchNorm2d<3>> second{esp::seed{1}};
  model_of<nn::BatchNorm<3, -1>> last{esp::seed{1}};
  scramble(second);
  scramble(last);
  auto const x = doubles<2, 3, 4, 5>(1);
  tensor<double, shape<2, 4, 5, 3>> moved;
  for (int n = 0; n < 2; ++n)
    for (int c = 0; c < 3; ++c)
      for (int i = 0; i < 20; ++i) moved[(n * 20 + i) * 3 + c] = x[(n * 3 + c) * 20 + i];
  auto const y = training_output(second, x);
  auto const z = training_output(last, moved);
  for (int n = 0; n < 2; ++n)
    for (int c = 0; c < 3; ++c)
      for (int i = 0; i < 20; ++i) BOOST_TEST(near(z[(n * 20 + i) * 3 + c], y[(n * 3 + c) * 20 + i]));
}
BOOST_AUTO_TEST_CASE(without_running_statistics_both_modes_use_the_batch) {
  check_norm<nn::BatchNorm<3, -1, nn::norm{.untracked = true}>>(
      doubles<5, 3>(1), nn::norm{}, [](int at) { return at % 3; }, [](int at) { return at % 3; });
}
