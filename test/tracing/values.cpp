// SPDX-License-Identifier: BSL-1.0
// Tensors in a traced body are constants of the program; what a body uses without owning it is a fault of the program.
#define BOOST_TEST_MODULE trace_values
#include <boost/test/unit_test.hpp>
#include <espalier.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;
namespace optim = espalier::optim;
namespace graph = espalier::graph;

namespace {

constexpr esp::tensor<float, esp::shape<4>> window{1, 2, 3, 4};
constexpr esp::tensor<std::int32_t, esp::shape<2>> classes{2, 0};

struct windowed {
  constexpr auto operator()(auto x) const { return sum(x * x * window); }
};
/// A tensor that is made inside the body, one that the body computes, and a number.
struct ramped {
  constexpr auto operator()(auto x) const {
    esp::tensor<float, esp::shape<3, 4>> ramp{};
    for (int i = 0; i < 3; ++i)
      for (int k = 0; k < 4; ++k) ramp(i, k) = static_cast<float>(10 * i + k);
    return (ramp + window) * x * 2;
  }
};
struct loss_of_constant_labels {
  constexpr auto operator()(auto z) const { return cross_entropy(z, classes); }
};
struct constant_result {
  constexpr auto operator()(auto x) const { return std::tuple{x + 1, window * 1}; }
};

struct Windowed {
  nn::Linear<4, 4> layer;
  ESPALIER_MODULE(Windowed, layer)
  constexpr auto forward(auto x) const { return layer(x * window) + window; }
};
/// A layer may be applied to a constant: it is this net's all the same.
struct ComparedWithWindow {
  nn::Linear<4, 4> layer;
  ESPALIER_MODULE(ComparedWithWindow, layer)
  constexpr auto forward(auto x) const { return layer(x) - layer(esp::reshape<1, 4>(window)); }
};
/// The same, by a buffer that the test fills.
struct Buffered {
  nn::Linear<4, 4> layer;
  esp::buffer<esp::shape<4>, nn::init::initialized_by<nn::init::ones{}>> window{};
  ESPALIER_MODULE(Buffered, layer, window)
  constexpr auto forward(auto x) const { return layer(x * window) + window; }
};

esp::tensor<float, esp::shape<2, 4>> const images{{1, -2, 3, 4}, {0.5f, 6, -7, 8}};

/// The program of a function of one tensor of shape S.
template <class F, class S>
constexpr graph::program graph_of() {
  graph::program p{};
  esp::tracing::tracer t{p, esp::tracing::mode::evaluation, false, 0, 0};
  esp::tracing::trace_operand(t, F{}(esp::tracing::argument_of<S>(t, 0)));
  return p;
}
template <class F, class S>
constexpr graph::fault fault_of() {
  return graph_of<F, S>().nodes.found;
}

esp::tensor<float, esp::shape<4>> filled_later{1, 2, 3, 4};
struct reads_unknown {
  constexpr auto operator()(auto x) const { return x * filled_later; }
};
struct reads_foreign_parameter {
  constexpr auto operator()(auto x) const { return nn::Linear<4, 4>{}(x); }
};
struct only_foreign_parameters {
  constexpr auto operator()(auto) const {
    nn::Linear<4, 4> const layer{};
    return layer.weight * layer.weight;
  }
};
struct reads_foreign_stream {
  constexpr auto operator()(auto x) const { return x * esp::random_uniform<esp::shape<4>>{esp::random_stream{}}; }
};
struct large {
  constexpr auto operator()(auto x) const {
    auto y = x;
    for (int k = 0; k < 5; ++k) {
      esp::tensor<float, esp::shape<64, 64>> table{};
      for (int i = 0; i < 64; ++i) table(i, i) = static_cast<float>(i + k);
      y = matmul(y, table);
    }
    return y;
  }
};
struct repeats {
  constexpr auto operator()(auto x) const {
    auto y = x;
    for (int k = 0; k < 50; ++k) {
      esp::tensor<float, esp::shape<4>> same{1, 2, 3, 5}, all_one{1, 1, 1, 1};
      y = y * same * all_one;
    }
    return y;
  }
};
static_assert(fault_of<windowed, esp::shape<4>>() == graph::fault::none);
static_assert(fault_of<reads_unknown, esp::shape<4>>() == graph::fault::unknown_tensor);
static_assert(fault_of<reads_foreign_parameter, esp::shape<1, 4>>() == graph::fault::foreign_parameter);
static_assert(fault_of<only_foreign_parameters, esp::shape<1, 4>>() == graph::fault::foreign_parameter);
static_assert(fault_of<reads_foreign_stream, esp::shape<4>>() == graph::fault::foreign_parameter);
static_assert(fault_of<large, esp::shape<1, 64>>() == graph::fault::too_many_values);
static_assert(graph_of<repeats, esp::shape<4>>().nodes.value_count == 16,
              "equal tensors are one, and one number needs no tensor");

// The constant evaluator computes with them too.
constexpr auto gradient_of_windowed = esp::grad(windowed{})(esp::tensor<float, esp::shape<4>>{1, 1, 1, 1});
static_assert(gradient_of_windowed == esp::tensor<float, esp::shape<4>>{2, 4, 6, 8});

}  // namespace

BOOST_AUTO_TEST_CASE(a_constant_tensor_keeps_its_values_in_a_function) {
  esp::tensor<float, esp::shape<4>> const x{3, 3, 3, 3};
  auto const [value, gradient] = esp::value_and_grad(windowed{})(x);
  BOOST_TEST(value == 90);
  BOOST_TEST((gradient == esp::tensor<float, esp::shape<4>>{6, 12, 18, 24}));
}

BOOST_AUTO_TEST_CASE(a_tensor_made_in_the_body_is_a_constant) {
  esp::tensor<float, esp::shape<3, 4>> x, y;
  for (auto& element : x) element = 0.5f;
  esp::compiled run{ramped{}, x};
  run(x, y);
  for (int i = 0; i < 3; ++i)
    for (int k = 0; k < 4; ++k) BOOST_TEST(y(i, k) == static_cast<float>(10 * i + 2 * k + 1));
}

BOOST_AUTO_TEST_CASE(a_constant_can_be_a_result) {
  esp::tensor<float, esp::shape<4>> const x{1, 1, 1, 1};
  esp::tensor<float, esp::shape<4>> y, z;
  esp::compiled run{constant_result{}, x};
  run(x, y, z);
  BOOST_TEST((y == esp::tensor<float, esp::shape<4>>{2, 2, 2, 2}));
  BOOST_TEST((z == window));
}

BOOST_AUTO_TEST_CASE(labels_can_be_constants) {
  esp::tensor<float, esp::shape<2, 3>> const z{{1, 2, 3}, {3, 1, 2}};
  esp::tensor<std::int32_t, esp::shape<2>> const y{2, 0};
  esp::tensor<float, esp::shape<2, 3>> gradient = esp::grad(loss_of_constant_labels{})(z);
  auto const expected = esp::grad<0>([](auto a, auto b) { return cross_entropy(a, b); })(z, y);
  BOOST_TEST((gradient == expected));
}

BOOST_AUTO_TEST_CASE(a_layer_is_applied_to_a_constant) {
  esp::model<ComparedWithWindow> model{esp::seed{3}};
  esp::tensor<float, esp::shape<1, 4>> const same{{1, 2, 3, 4}};
  BOOST_TEST((model(same) == esp::tensor<float, esp::shape<1, 4>>{}));
  BOOST_TEST(!(model(esp::tensor<float, esp::shape<1, 4>>{{1, 2, 3, 5}}) == esp::tensor<float, esp::shape<1, 4>>{}));
}

BOOST_AUTO_TEST_CASE(in_a_net_constants_agree_with_a_buffer) {
  esp::model<Windowed> model{esp::seed{3}};
  esp::model<Buffered> buffered{esp::seed{3}};
  auto const values = buffered.buffer("window").span();
  for (int i = 0; i < 4; ++i) values[i] = window(i);
  BOOST_TEST((model(images) == buffered(images)));

  esp::tensor<float, esp::shape<2, 4>> y;
  esp::frozen frozen{model, esp::batch<2, 4>{}};
  frozen(images, y);
  BOOST_TEST(all_close(y, buffered(images), 1e-6, 1e-6));

  esp::trainer trainer{model, nn::MeanSquaredError{}, optim::SGD<>{.learning_rate = 0.01}, esp::batch<2, 4>{}};
  esp::trainer other{buffered, nn::MeanSquaredError{}, optim::SGD<>{.learning_rate = 0.01}, esp::batch<2, 4>{}};
  for (int step = 0; step < 3; ++step) BOOST_TEST(trainer.step(images, images) == other.step(images, images));
}

namespace {
// x op= y is x = x op y, wherever it stands.
struct in_steps {
  constexpr auto operator()(auto x) const {
    for (int i = 0; i < 3; ++i) {
      x += 1;
      x *= x;
      x -= window;
      x /= 2.0;
    }
    return x;
  }
};
}  // namespace

BOOST_AUTO_TEST_CASE(a_value_of_a_body_is_assigned_to) {
  esp::tensor<float, esp::shape<4>> const x{1, 2, -1, 0.5};
  esp::tensor<float, esp::shape<4>> y;
  esp::compiled run{in_steps{}, x};
  run(x, y);
  for (int k = 0; k < 4; ++k) {
    float expected = x[k];
    for (int i = 0; i < 3; ++i) {
      expected += 1;
      expected *= expected;
      expected -= window[k];
      expected /= 2;
    }
    BOOST_TEST(std::abs(y[k] - expected) <= 1e-4f * (1 + std::abs(expected)));
  }
}
