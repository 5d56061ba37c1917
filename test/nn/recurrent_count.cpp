// SPDX-License-Identifier: BSL-1.0
// Recurrent layers that run a number of steps which is an argument, against the same layers on the first steps alone.
#define BOOST_TEST_MODULE nn_recurrent_count
#include <boost/test/unit_test.hpp>

#include <espalier/eager/vmap.hpp>

#include "support/nets.hpp"

using namespace test;
using esp::shape, esp::tensor;

namespace {
constexpr int steps = 5;

/// Outputs and states, which may be a tuple, as one number whose gradients tell all elements apart.
inline constexpr auto total = [](auto const& outputs, auto const& states) {
  auto const numbered = [](auto const& y) { return sum(exp(y) * y) + sum(square(y)); };
  if constexpr (requires { std::get<1>(states); })
    return sum(exp(outputs)) + numbered(std::get<0>(states)) - 2 * numbered(std::get<1>(states));
  else return sum(exp(outputs)) + numbered(states);
};
inline constexpr auto with_count = [](auto net, auto x, auto count) {
  auto const [y, last] = net(x, count);
  return total(y, last);
};
inline constexpr auto with_state_and_count = [](auto net, auto x, auto h, auto count) {
  auto const [y, last] = net(x, h, count);
  return total(y, last);
};
inline constexpr auto outputs_and_state = [](auto net, auto x, auto count) {
  auto const [y, last] = net(x, count);
  if constexpr (requires { std::get<1>(last); }) return std::tuple{y, std::get<0>(last), std::get<1>(last)};
  else return std::tuple{y, last, last};
};
inline constexpr auto without_count = [](auto net, auto x) {
  auto const [y, last] = net(x);
  if constexpr (requires { std::get<1>(last); }) return std::tuple{y, std::get<0>(last), std::get<1>(last)};
  else return std::tuple{y, last, last};
};
inline constexpr auto of_first_steps = [](auto net, auto x) {
  auto const [y, last] = net(x);
  return total(y, last);
};

/// Axis: that of the steps.
template <int Axis, int Count, class X>
auto first_steps(X const& x) {
  return tensor<double, typename esp::shape_of<decltype(esp::evaluate(esp::slice<Axis, 0, Count>(x)))>>{
      esp::evaluate(esp::slice<Axis, 0, Count>(x))};
}
template <class Layer, int Count>
void check_count() {
  constexpr int axis = Layer::step_axis;
  using Sequence = std::conditional_t<axis == 0, shape<steps, 2, 3>, shape<2, steps, 3>>;
  esp::model<Layer, esp::cpu, double> net{esp::seed{1}};
  auto x = numbers<double, Sequence>(1);
  tensor<std::int32_t, shape<>> const count{Count};
  auto const begin = first_steps<axis, Count>(x);
  // What comes later changes nothing.
  for (int t = Count; t < steps; ++t)
    for (int n = 0; n < 2; ++n) (axis == 0 ? x(t, n, 0) : x(n, t, 0)) = 1e300;

  auto const [y, h, c] = esp::vmap<1>([](auto layer, auto one, auto k) { return outputs_and_state(layer, one, k); })(
      net, tensor<double, typename esp::detail::with_first_axis_of<Sequence, 1>::type>{x.span()}, count);
  auto const [expected, last_h, last_c] = esp::vmap<1>(without_count)(
      net,
      tensor<double, typename esp::detail::with_first_axis_of<esp::shape_of<decltype(begin)>, 1>::type>{begin.span()});
  constexpr int features = Layer::output_features;
  for (int t = 0; t < steps; ++t)
    for (int n = 0; n < 2; ++n)
      for (int i = 0; i < features; ++i) {
        double const got = axis == 0 ? y(0, t, n, i) : y(0, n, t, i);
        double const wanted = t >= Count ? 0 : axis == 0 ? expected(0, t, n, i) : expected(0, n, t, i);
        BOOST_TEST(near(got, wanted));
      }
  check_close("h", h, last_h);
  check_close("c", c, last_c);

  auto const [value, gradients] = esp::value_and_grad<0, 1>(with_count)(net, x, count);
  auto const [wanted, of_steps] = esp::value_and_grad<0, 1>(of_first_steps)(net, begin);
  // exp(0) = 1 for each output behind the count
  BOOST_TEST(near(value, wanted + (steps - Count) * 2 * features));
  auto const parameters = std::get<0>(gradients).span(), of_parameters = std::get<0>(of_steps).span();
  for (std::int64_t i = 0; i < of_parameters.size(); ++i) BOOST_TEST(near(parameters[i], of_parameters[i]));
  for (int t = 0; t < steps; ++t)
    for (int n = 0; n < 2; ++n)
      for (int i = 0; i < 3; ++i) {
        auto const& dx = std::get<1>(gradients);
        auto const& of_x = std::get<1>(of_steps);
        double const got = axis == 0 ? dx(t, n, i) : dx(n, t, i);
        BOOST_TEST(near(got, t >= Count ? 0 : axis == 0 ? of_x(t, n, i) : of_x(n, t, i)));
      }
}
}  // namespace

BOOST_AUTO_TEST_CASE(each_layer_in_one_direction) {
#if defined(ESPALIER_TEST_ALL)  // support/longer_run.hpp
  check_count<nn::LSTM<3, 4>, 2>();
#else
  check_count<nn::GRU<3, 4>, 5>();
  check_count<nn::RNN<3, 4>, 3>();
#endif
}
BOOST_AUTO_TEST_CASE(layers_in_both_directions) {
#if defined(ESPALIER_TEST_ALL)
  check_count<nn::GRU<3, 2, nn::gru{.layers = 2, .bidirectional = true, .batch_first = true}>, 2>();
#else
  check_count<nn::LSTM<3, 2, nn::lstm{.layers = 2, .bidirectional = true}>, 3>();
#endif
}
BOOST_AUTO_TEST_CASE(states_and_no_step) {
  esp::model<nn::GRU<3, 4>, esp::cpu, double> gru{esp::seed{1}};
  auto const x = doubles<steps, 2, 3>(1);
  auto const h = doubles<1, 2, 4>(2);
  double expected = 0;
  for (int i = 0; i < 8; ++i) expected += std::exp(h[i]) * h[i] + h[i] * h[i];
  auto const [value, gradients] =
      esp::value_and_grad<1, 2>(with_state_and_count)(gru, x, h, tensor<std::int32_t, shape<1>>{0});
  BOOST_TEST(near(value, expected + steps * 2 * 4));
  for (int i = 0; i < 30; ++i) BOOST_TEST(std::get<0>(gradients)[i] == 0);
  for (int i = 0; i < 8; ++i) BOOST_TEST(near(std::get<1>(gradients)[i], std::exp(h[i]) * (1 + h[i]) + 2 * h[i]));
  BOOST_CHECK_THROW((void)esp::value_and_grad<1>(with_count)(gru, x, tensor<std::int32_t, shape<>>{steps + 1}),
                    esp::index_error);

  // An LSTM takes its state as one argument or as two.
  esp::model<nn::LSTM<3, 4>, esp::cpu, double> lstm{esp::seed{1}};
  constexpr auto of_two = [](auto net, auto in, auto s, auto c, auto count) {
    auto const [y, last_h, last_c] = net(in, s, c, count);
    return total(y, std::tuple{last_h, last_c});
  };
  constexpr auto of_one = [](auto net, auto in, auto s, auto c, auto count) {
    auto const [y, last] = net(in, std::tuple{s, c}, count);
    return total(y, last);
  };
  auto const c = doubles<1, 2, 4>(3);
  tensor<std::int32_t, shape<>> const two{2};
  auto const a = esp::value_and_grad<1>(of_two)(lstm, x, h, c, two),
             b = esp::value_and_grad<1>(of_one)(lstm, x, h, c, two);
  BOOST_TEST(near(a.first, b.first));
  check_close("one argument or two", a.second, b.second);
}
