// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE model_net_call
#include <boost/test/unit_test.hpp>

#include <tuple>

#include <espalier/model/constant_model.hpp>
#include <espalier/simulated_cuda.hpp>

#include "support/allocation_counter.hpp"
#include "support/nets.hpp"

using namespace test;
using esp::shape, esp::shapes, esp::tensor;

namespace {

/// A recurrent cell: two inputs, and two results of different shapes. The norm tells evaluation from training.
struct Cell {
  nn::Linear<5, 4> input;
  nn::Linear<4, 4> state;
  nn::BatchNorm1d<4> norm;
  nn::Linear<4, 3> output;
  ESPALIER_MODULE(Cell, input, state, norm, output)
  constexpr auto forward(auto x, auto h) const {
    auto const next = tanh(input(x) + norm(state(h)));
    return std::tuple{output(next), next};
  }
};
/// Two inputs and one result.
struct Distance {
  nn::Linear<5, 2> embed;
  ESPALIER_MODULE(Distance, embed)
  constexpr auto forward(auto a, auto b) const { return sum<1>(square(embed(a) - embed(b))); }
};
/// One input, and results that are the input, the same value twice, and a parameter.
struct Passing {
  nn::Linear<3, 2> layer;
  ESPALIER_MODULE(Passing, layer)
  constexpr auto forward(auto x) const {
    auto const y = layer(x);
    return std::tuple{y, x, y, layer.weight};
  }
};
/// Numbers and indices.
struct Lookup {
  using input_element = std::tuple<float, std::int32_t>;
  nn::Embedding<7, 3> table;
  ESPALIER_MODULE(Lookup, table)
  constexpr auto forward(auto x, auto index) const { return x * table(index); }
};
/// Only indices.
struct Pair {
  using input_element = std::int32_t;
  nn::Embedding<7, 3> table;
  ESPALIER_MODULE(Pair, table)
  constexpr auto forward(auto a, auto b) const { return std::tuple{table(a) - table(b), table(a) * table(b)}; }
};
/// A result written over an input that another result still needs.
struct Swap {
  ESPALIER_MODULE(Swap)
  constexpr auto forward(auto a, auto b) const { return std::tuple{2 * b, sum<1>(a, esp::keepdims) + a}; }
};

using Inputs = shapes<shape<2, 5>, shape<2, 4>>;
static_assert(esp::output_shape<Cell, shape<2, 5>, shape<2, 4>> == shapes<shape<2, 3>, shape<2, 4>>{});
static_assert(!(esp::output_shape<Cell, shape<2, 5>, shape<2, 4>> == shapes<shape<2, 4>, shape<2, 3>>{}));
static_assert(esp::output_shape<Distance, shape<6, 5>, shape<6, 5>> == shape<6>{});
static_assert(esp::output_shape<Passing, shape<4, 3>> == shapes<shape<4, 2>, shape<4, 3>, shape<4, 2>, shape<3, 2>>{});
using Predictor = esp::predictor<esp::model<Cell>, Inputs>;
static_assert(std::is_same_v<Predictor::output_shape, shapes<shape<2, 3>, shape<2, 4>>>);
static_assert(std::is_same_v<Predictor::input_shape, Inputs>);
constexpr auto& plan = esp::prediction_plan<Cell, Inputs>;
static_assert(Predictor::workspace_bytes == plan.workspace_bytes && Predictor::kernel_count == plan.kernel_count);
static_assert(plan.output_shape == shapes<shape<2, 3>, shape<2, 4>>{} && plan.parameter_count == 24 + 20 + 8 + 15);
// Two results may overlap, which throws; one result does not.
static_assert(!noexcept(std::declval<Predictor&>()(std::declval<tensor<float, shape<2, 5>>&>(),
                                                   std::declval<tensor<float, shape<2, 4>>&>(),
                                                   std::declval<tensor<float, shape<2, 3>>&>(),
                                                   std::declval<tensor<float, shape<2, 4>>&>())));
static_assert(noexcept(std::declval<esp::predictor<esp::model<Distance>, shapes<shape<6, 5>, shape<6, 5>>>&>()(
    std::declval<tensor<float, shape<6, 5>> const&>(), std::declval<tensor<float, shape<6, 5>> const&>(),
    std::declval<tensor<float, shape<6>>&>())));

/// A model with running statistics that are not those of a fresh norm.
template <class Model>
void prepare(Model& model) {
  scramble(model);
  assign(model.buffer("norm.running_mean"), {0.3, -0.2, 0.1, 0.05});
  assign(model.buffer("norm.running_var"), {0.7, 1.3, 0.2, 2});
}
/// The cell by plain loops.
template <class Model, class X, class H>
auto by_loops(Model const& model, X const& x, H const& h) {
  auto const p = [&](char const* name, int i) { return static_cast<double>(model.parameter(name).span()[i]); };
  auto const b = [&](char const* name, int i) { return static_cast<double>(model.buffer(name).span()[i]); };
  tensor<double, shape<2, 3>> y;
  tensor<double, shape<2, 4>> next;
  for (int n = 0; n < 2; ++n) {
    for (int j = 0; j < 4; ++j) {
      double from_x = p("input.bias", j), from_h = p("state.bias", j);
      for (int k = 0; k < 5; ++k) from_x += static_cast<double>(x(n, k)) * p("input.weight", 4 * k + j);
      for (int k = 0; k < 4; ++k) from_h += static_cast<double>(h(n, k)) * p("state.weight", 4 * k + j);
      double const normed = (from_h - b("norm.running_mean", j)) / std::sqrt(b("norm.running_var", j) + 1e-5);
      next(n, j) = std::tanh(from_x + normed * p("norm.weight", j) + p("norm.bias", j));
    }
    for (int j = 0; j < 3; ++j) {
      y(n, j) = p("output.bias", j);
      for (int k = 0; k < 4; ++k) y(n, j) += next(n, k) * p("output.weight", 3 * k + j);
    }
  }
  return std::pair{y, next};
}
template <class A, class B>
void check_near(A const& got, B const& expected, double allowed) {
  BOOST_REQUIRE(got.size() == expected.size());
  for (std::int64_t i = 0; i < got.size(); ++i)
    BOOST_TEST(near(static_cast<double>(got.data()[i]), static_cast<double>(expected.data()[i]), allowed));
}

}  // namespace

BOOST_AUTO_TEST_CASE_TEMPLATE(all_ways_give_the_values_of_plain_loops, T, decltype(std::tuple<float, double>{})) {
  esp::model<Cell, esp::cpu, T> model{esp::seed{1}};
  prepare(model);
  auto const x = numbers<T, shape<2, 5>>(2);
  auto const h = numbers<T, shape<2, 4>>(3);
  auto const [y, next] = by_loops(model, x, h);
  auto const [own_y, own_next] = model(x, h);
  check_near(own_y, y, tolerance<T>);
  check_near(own_next, next, tolerance<T>);

  tensor<T, shape<2, 3>> predicted_y, frozen_y, compiled_y;
  tensor<T, shape<2, 4>> predicted_next, frozen_next, compiled_next;
  esp::predictor predict{model, esp::batch<2, 5>{}, esp::batch<2, 4>{}};
  predict(x, h, predicted_y, predicted_next);
  BOOST_TEST((predicted_y == own_y && predicted_next == own_next));

  esp::frozen frozen{model, esp::batch<2, 5>{}, esp::batch<2, 4>{}};
  frozen(x, h, frozen_y, frozen_next);
  check_near(frozen_y, y, tolerance<T>);
  check_near(frozen_next, next, tolerance<T>);

  esp::compiled run{[](auto net, auto a, auto b) { return evaluate(net, a, b); }, model, x, h};
  run(x, h, compiled_y, compiled_next);
  BOOST_TEST((compiled_y == own_y && compiled_next == own_next));

  // A predictor follows its model, and a frozen net does not.
  assign(model.buffer("norm.running_mean"), {0, 0, 0, 0});
  predict(x, h, predicted_y, predicted_next);
  frozen(x, h, frozen_y, frozen_next);
  auto const changed = by_loops(model, x, h);
  check_near(predicted_y, changed.first, tolerance<T>);
  check_near(frozen_y, y, tolerance<T>);
}

BOOST_AUTO_TEST_CASE(runs_allocate_nothing_and_use_bytes_of_the_user) {
  static esp::bytes<esp::model<Cell>::bytes> model_room;
  static esp::bytes<Predictor::bytes> predictor_room;
  static esp::bytes<esp::frozen<esp::model<Cell>, Inputs>::bytes> frozen_room;
  auto const x = floats<2, 5>(2);
  auto const h = floats<2, 4>(3);
  tensor<float, shape<2, 3>> y, frozen_y;
  tensor<float, shape<2, 4>> next, frozen_next;
  long const before = espalier_test::allocations();
  esp::model<Cell> model{esp::seed{1}, model_room};
  esp::predictor predict{model, esp::batch<2, 5>{}, esp::batch<2, 4>{}, predictor_room};
  esp::frozen frozen{model, esp::batch<2, 5>{}, esp::batch<2, 4>{}, frozen_room};
  predict(x, h, y, next);
  frozen(x, h, frozen_y, frozen_next);
  BOOST_TEST(espalier_test::allocations() == before);
  check_near(y, by_loops(model, x, h).first, 1e-5);
  check_near(frozen_next, by_loops(model, x, h).second, 1e-5);
}

BOOST_AUTO_TEST_CASE(ranges_are_read_and_written_in_place) {
  esp::model<Cell> const model{esp::seed{1}};
  esp::predictor predict{model, esp::batch<2, 5>{}, esp::batch<2, 4>{}};
  esp::frozen frozen{model, esp::batch<2, 5>{}, esp::batch<2, 4>{}};
  auto const x = floats<2, 5>(2);
  auto const h = floats<2, 4>(3);
  auto const [y, next] = model(x, h);
  std::vector<float> const xs(x.begin(), x.end());
  std::vector<float> short_h(7), to_next(8);
  std::array<float, 6> to_y{};
  predict(xs, h, to_y, to_next);
  for (std::size_t i = 0; i < 6; ++i) BOOST_TEST(to_y[i] == y.data()[i]);
  for (std::size_t i = 0; i < 8; ++i) BOOST_TEST(to_next[i] == next.data()[i]);
  frozen(xs, h, to_y, to_next);
  for (std::size_t i = 0; i < 6; ++i) BOOST_TEST(near(to_y[i], y.data()[i], 1e-5));
  auto const untouched = to_next;
  BOOST_CHECK_THROW(predict(xs, short_h, to_y, to_next), esp::range_error);
  BOOST_TEST(to_next == untouched, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(results_may_be_inputs_but_not_each_other) {
  esp::model<Cell> const model{esp::seed{1}};
  esp::predictor predict{model, esp::batch<2, 5>{}, esp::batch<2, 4>{}};
  esp::frozen frozen{model, esp::batch<2, 5>{}, esp::batch<2, 4>{}};
  auto const x = floats<2, 5>(2);
  auto h = floats<2, 4>(3);
  auto const [y, next] = model(x, h);
  tensor<float, shape<2, 3>> own_y;
  predict(x, h, own_y, h);  // the next state replaces the state
  BOOST_TEST((own_y == y && h == next));

  float numbers_of_both[20]{};
  esp::view<float, shape<2, 3>> const first(numbers_of_both + 0);
  esp::view<float, shape<2, 4>> const apart(numbers_of_both + 6), over(numbers_of_both + 5);
  predict(x, h, first, apart);
  BOOST_CHECK_THROW(predict(x, h, first, over), esp::overlap_error);
  BOOST_CHECK_THROW(frozen(x, h, first, over), esp::overlap_error);
  try {
    predict(x, h, first, over);
  } catch (esp::overlap_error const& error) {
    BOOST_TEST(
        std::string{error.what()} ==
        "predictor(x..., y...): results 0 and 1 share memory, and one would overwrite the other; pass a separate "
        "tensor for each");
  }
}

BOOST_AUTO_TEST_CASE(results_over_the_inputs_of_other_results) {
  esp::model<Swap> const model{esp::seed{1}};
  esp::predictor predict{model, esp::batch<2, 3>{}, esp::batch<2, 3>{}};
  esp::frozen frozen{model, esp::batch<2, 3>{}, esp::batch<2, 3>{}};
  auto const a = floats<2, 3>(1), b = floats<2, 3>(2);
  auto const check = [&](auto& run) {
    auto first = a, second = b;
    run(first, second, first, second);
    for (int n = 0; n < 2; ++n)
      for (int k = 0; k < 3; ++k) {
        BOOST_TEST(first(n, k) == 2 * b(n, k));
        BOOST_TEST(near(second(n, k), a(n, 0) + a(n, 1) + a(n, 2) + a(n, k), 1e-6));
      }
  };
  check(predict);
  check(frozen);
}

BOOST_AUTO_TEST_CASE(several_inputs_and_one_result) {
  esp::model<Distance, esp::cpu, double> model{esp::seed{1}};
  scramble(model);
  auto const a = doubles<6, 5>(1), b = doubles<6, 5>(2);
  tensor<double, shape<6>> y;
  esp::predictor predict{model, esp::batch<6, 5>{}, esp::batch<6, 5>{}};
  predict(a, b, y);
  BOOST_TEST(model(a, b) == y);
  auto const weight = model.parameter("embed.weight");
  for (int n = 0; n < 6; ++n) {
    double expected = 0;
    for (int j = 0; j < 2; ++j) {
      double d = 0;
      for (int k = 0; k < 5; ++k) d += (a(n, k) - b(n, k)) * weight.span()[2 * k + j];
      expected += d * d;
    }
    BOOST_TEST(near(y[n], expected));
  }
}

BOOST_AUTO_TEST_CASE(results_that_are_an_input_a_value_twice_and_a_parameter) {
  esp::model<Passing> const model{esp::seed{1}};
  auto const x = floats<4, 3>(1);
  auto const [y, same_x, again, weight] = model(x);
  check_near(y, esp::model<nn::Linear<3, 2>>{esp::seed{1}}(x), 1e-6);
  BOOST_TEST((same_x == x && again == y));
  for (int i = 0; i < 6; ++i) BOOST_TEST(weight.data()[i] == model.parameter("layer.weight").span()[i]);
  tensor<float, shape<4, 2>> first, third;
  tensor<float, shape<4, 3>> second;
  tensor<float, shape<3, 2>> fourth;
  esp::predictor predict{model, esp::batch<4, 3>{}};
  predict(x, first, second, third, fourth);
  BOOST_TEST((first == y && second == x && third == y && fourth == weight));
  esp::frozen frozen{model, esp::batch<4, 3>{}};
  first.fill(0), second.fill(0), third.fill(0), fourth.fill(0);
  frozen(x, first, second, third, fourth);
  BOOST_TEST((second == x && third == first && fourth == weight));
  check_near(first, y, 1e-6);
}

BOOST_AUTO_TEST_CASE(indices_are_inputs_where_the_net_lists_them) {
  esp::model<Lookup> const model{esp::seed{1}};
  auto const x = floats<4, 3>(1);
  tensor<std::int32_t, shape<4>> index;
  for (int i = 0; i < 4; ++i) index[i] = 6 - 2 * i;
  tensor<float, shape<4, 3>> y;
  y.fill(77);
  esp::predictor predict{model, esp::batch<4, 3>{}, esp::batch<4>{}};
  predict(x, index, y);
  BOOST_TEST(model(x, index) == y);
  auto const table = model.parameter("table.weight").span();
  for (int n = 0; n < 4; ++n)
    for (int k = 0; k < 3; ++k) BOOST_TEST(y(n, k) == x(n, k) * table[3 * index[n] + k]);
  auto const before = y;
  index[2] = 7;
  BOOST_CHECK_THROW(predict(x, index, y), esp::index_error);
  BOOST_CHECK_THROW(model(x, index), esp::index_error);
  esp::frozen frozen{model, esp::batch<4, 3>{}, esp::batch<4>{}};
  BOOST_CHECK_THROW(frozen(x, index, y), esp::index_error);
  BOOST_TEST(y == before);

  esp::model<Pair> const pair{esp::seed{1}};
  auto const a = labels<4>(1, 7), b = labels<4>(2, 7);
  auto const [difference, product] = pair(a, b);
  auto const rows = pair.parameter("table.weight").span();
  for (int n = 0; n < 4; ++n)
    for (int k = 0; k < 3; ++k) {
      BOOST_TEST(difference(n, k) == rows[3 * a[n] + k] - rows[3 * b[n] + k]);
      BOOST_TEST(product(n, k) == rows[3 * a[n] + k] * rows[3 * b[n] + k]);
    }
}

BOOST_AUTO_TEST_CASE(a_constant_model_has_the_same_values) {
  esp::model<Cell, esp::cpu, double> const model{esp::seed{1}};
  esp::constant_model<Cell, double> const constant{esp::seed{1}};
  auto const x = doubles<2, 5>(2);
  auto const h = doubles<2, 4>(3);
  auto const [y, next] = model(x, h);
  auto const [own_y, own_next] = constant(x, h);
  check_near(own_y, y, 1e-12);
  check_near(own_next, next, 1e-12);
}

BOOST_AUTO_TEST_CASE(on_a_device) {
  esp::model<Cell> on_host{esp::seed{1}};
  esp::model<Cell, esp::simulated_cuda> model{esp::seed{1}};
  auto const x = floats<2, 5>(2);
  auto const h = floats<2, 4>(3);
  auto const [y, next] = on_host(x, h);
  auto const [own_y, own_next] = model(x, h);
  check_near(own_y, y, 1e-5);
  check_near(own_next, next, 1e-5);
  esp::predictor predict{model, esp::batch<2, 5>{}, esp::batch<2, 4>{}};
  tensor<float, shape<2, 3>> to_y;
  tensor<float, shape<2, 4>> to_next;
  predict(x, h, to_y, to_next);
  check_near(to_y, y, 1e-5);
  check_near(to_next, next, 1e-5);

  esp::model<Lookup, esp::simulated_cuda> lookup{esp::seed{1}};
  tensor<std::int32_t, shape<2>> index;
  index[0] = 1, index[1] = 9;
  BOOST_CHECK_THROW(lookup(floats<2, 3>(1), index), esp::index_error);
}
