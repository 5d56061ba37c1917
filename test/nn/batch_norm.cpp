// SPDX-License-Identifier: BSL-1.0
// BatchNorm over any rank and channel axis, and BatchNorm2d, against plain loops; BatchNorm1d is in norm.cpp.
#define BOOST_TEST_MODULE nn_batch_norm
#include <boost/test/unit_test.hpp>

#include "support/norms.hpp"

using namespace test;
using esp::shape, esp::tensor;

static_assert(esp::output_shape<nn::BatchNorm2d<3>, shape<2, 3, 4, 4>> == shape<2, 3, 4, 4>{} && esp::parameter_count<nn::BatchNorm2d<3>> == 6);
static_assert(esp::output_shape<nn::BatchNorm<3, -1>, shape<2, 4, 4, 3>> == shape<2, 4, 4, 3>{});
static_assert(esp::output_shape<nn::BatchNorm<3, 2>, shape<2, 4, 3, 5>> == shape<2, 4, 3, 5>{});
static_assert(esp::output_shape<nn::BatchNorm<3>, shape<2, 3, 2, 2, 2, 2>> == shape<2, 3, 2, 2, 2, 2>{});
static_assert(esp::parameter_count<nn::BatchNorm<3, -1, nn::norm{.affine = false}>> == 0);

namespace {
/// One training step and what evaluation makes of it. Behind: the number of elements behind the channel axis.
template <class M, int Channels, int Behind, nn::norm How, class X>
void check(X const& x) {
  auto const channel = [](int at) { return at / Behind % Channels; };
  model_of<M> model;
  scramble(model, 0.5, 2);
  auto const of = moments_of(x, channel);
  X const normal = normalized_by(x, of, How.eps, channel), wanted = with_affine(normal, model, channel);
  std::vector<moments> const start(Channels, {1, 0, 1});
  check_close("evaluation at the start", model(x), with_affine(normalized_by(x, start, How.eps, channel), model, channel), 1e-10);
  esp::value_and_grad(model, Weighted{})(x, X{});
  std::vector<moments> running;
  double const count = static_cast<double>(X::size()) / Channels, correction = How.variance == nn::unbiased ? count / (count - 1) : 1;
  for (auto const& m : of) running.push_back({count, How.momentum * m.mean, 1 - How.momentum + How.momentum * correction * m.variance});
  for (int c = 0; c < Channels; ++c) {
    BOOST_TEST(near(model.buffer("running_mean").span()[c], running[static_cast<std::size_t>(c)].mean));
    BOOST_TEST(near(model.buffer("running_var").span()[c], running[static_cast<std::size_t>(c)].variance));
  }
  check_close("evaluation", model(x), with_affine(normalized_by(x, running, How.eps, channel), model, channel), 1e-10);
  check_close("training", training_output(model, x), wanted, 1e-10);
  check_slopes<true>(model, x, normal, of, How.eps, channel, channel);
}
}  // namespace

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
BOOST_AUTO_TEST_CASE(three_statistics_of_three_channels) { BOOST_TEST(statistics<nn::BatchNorm2d<3>>(doubles<2, 3, 2, 2>(1)) == 3); }
BOOST_AUTO_TEST_CASE(channels_second) {
  check<nn::BatchNorm2d<3>, 3, 16, nn::norm{}>(doubles<2, 3, 4, 4>(1, -2, 3));
  constexpr nn::norm how{.eps = 1e-3, .momentum = 0.3, .variance = nn::unbiased};
  check<nn::BatchNorm<2, 1, how>, 2, 8, how>(doubles<3, 2, 2, 2, 2>(2, -2, 3));
}
BOOST_AUTO_TEST_CASE(channels_last) {
  constexpr nn::norm how{.momentum = 0.9, .affine = false};
  check<nn::BatchNorm<3, -1, how>, 3, 1, how>(doubles<2, 4, 2, 3>(3, -2, 3));
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
