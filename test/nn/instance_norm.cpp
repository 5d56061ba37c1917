// SPDX-License-Identifier: BSL-1.0
// InstanceNorm against plain loops, with and without running statistics.
#define BOOST_TEST_MODULE nn_instance_norm
#include <boost/test/unit_test.hpp>

#include "support/norms.hpp"

using namespace test;
using esp::shape, esp::tensor;

static_assert(esp::output_shape<nn::InstanceNorm<3>, shape<2, 3, 4, 4>> == shape<2, 3, 4, 4>{} &&
              esp::parameter_count<nn::InstanceNorm<3>> == 6);
static_assert(esp::output_shape<nn::InstanceNorm<3>, shape<2, 3, 4>> == shape<2, 3, 4>{});

namespace {
/// Behind: the number of elements behind the channel axis.
template <int Channels, int Behind, nn::norm Options, class X>
void check(X const& x) {
  check_norm<nn::InstanceNorm<Channels, Options>>(
      x, Options, [](int at) { return at / Behind; }, [](int at) { return at / Behind % Channels; });
}
}  // namespace

BOOST_AUTO_TEST_CASE(parameters_and_buffers) {
  model_of<nn::InstanceNorm<3>> model;
  BOOST_TEST(parameter_list(model) == "weight(3) bias(3)");
  BOOST_TEST(buffer_list(model) == "");
  model_of<nn::InstanceNorm<3, nn::norm{.affine = false, .tracked = true}>> tracked;
  BOOST_TEST(parameter_list(tracked) == "");
  BOOST_TEST(buffer_list(tracked) == "running_mean(3) running_var(3)");
}
BOOST_AUTO_TEST_CASE(one_statistic_for_each_channel_of_each_example) {
  BOOST_TEST(statistics<nn::InstanceNorm<3>>(doubles<2, 3, 2, 2>(1)) == 6);
}
BOOST_AUTO_TEST_CASE(values_and_gradients) {
  check<3, 6, nn::norm{}>(doubles<2, 3, 2, 3>(1));
  check<2, 4, nn::norm{.eps = 1e-3}>(doubles<3, 2, 4>(2));
  check<2, 8, nn::norm{.affine = false}>(doubles<2, 2, 2, 2, 2>(3));
}
BOOST_AUTO_TEST_CASE(running_statistics_are_the_mean_over_the_examples) {
  constexpr nn::norm options{.momentum = 0.3, .variance = nn::unbiased, .tracked = true};
  auto const instance = [](int at) { return at / 4; };
  auto const channel = [](int at) { return at / 4 % 3; };
  model_of<nn::InstanceNorm<3, options>> model;
  scramble(model, 0.5, 2);
  auto const x = doubles<2, 3, 4>(1, -2, 3);
  auto const of = moments_of(x, instance);
  check_close("training", training_output(model, x),
              with_affine(normalized_by(x, of, options.eps, instance), model, channel), 1e-10);

  model_of<nn::InstanceNorm<3, options>> once;
  esp::value_and_grad(once, Weighted{})(x, x);
  std::vector<moments> running;
  for (std::size_t c = 0; c < 3; ++c) {
    running.push_back(
        {8, 0.3 * (of[c].mean + of[c + 3].mean) / 2, 0.7 + 0.3 * (of[c].variance + of[c + 3].variance) / 2 * 4 / 3});
    BOOST_TEST(near(once.buffer("running_mean").span()[static_cast<int>(c)], running[c].mean));
    BOOST_TEST(near(once.buffer("running_var").span()[static_cast<int>(c)], running[c].variance));
  }
  check_close("evaluation", once(x), normalized_by(x, running, options.eps, channel), 1e-10);
}
