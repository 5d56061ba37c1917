// SPDX-License-Identifier: BSL-1.0
// Every number of a training is the same on any number of threads. Also meant for the thread sanitizer
// (device/cpu/parallel.cpp).
#define BOOST_TEST_MODULE model_parallel
#include <boost/test/unit_test.hpp>

#include <tuple>

#include <espalier/eager/compiled.hpp>
#include <espalier/parallel.hpp>

#include "support/nets.hpp"

using namespace test;
using esp::shape, esp::tensor;

namespace {

using small = nn::Sequential<nn::Flatten, nn::Linear<64, 32>, nn::BatchNorm1d<32>, nn::ReLU, nn::Dropout<0.2>,
                             nn::Residual<nn::Sequential<nn::Linear<32, 32>, nn::LayerNorm1d<32>>>, nn::Linear<32, 10>>;
// Products, rows, columns, draws and the update are all large enough to be cut into parts.
using wide = nn::Sequential<nn::Flatten, nn::Linear<64, 513>, nn::BatchNorm1d<513>, nn::ReLU, nn::Dropout<0.2>,
                            nn::Residual<nn::Sequential<nn::Linear<513, 513>, nn::LayerNorm1d<513>, nn::ReLU>>,
                            nn::Linear<513, 10>>;
template <class Net>
constexpr int samples = std::is_same_v<Net, small> ? 33 : 192;

/// What some steps of training leave, in every place that a program writes.
struct outcome {
  std::vector<float> parameters, buffers, gradients, losses, scores;
  bool operator==(outcome const&) const = default;
};

template <class Net, class Device>
outcome train() {
  constexpr int n = samples<Net>;
  using batch = esp::batch<n, 8, 8>;
  auto const images = floats<n, 8, 8>(1);
  auto const targets = labels<n>(2, 10);
  esp::model<Net, Device> model{esp::seed{3}};
  using optimizer = optim::clip_by_norm<optim::Adam>;
  esp::trainer trainer{model, nn::SoftmaxLoss{}, optimizer{optim::Adam{.learning_rate = 2e-3}, 1.0}, batch{}};
  esp::predictor predict{model, batch{}};
  tensor<float, shape<n, 10>> scores;
  outcome r;
  for (int step = 0; step < 4; ++step) {
    r.losses.push_back(trainer.step(images, targets));
    predict(images, scores);
    r.losses.push_back(static_cast<float>(trainer.evaluate(images, targets).loss));
  }
  r.parameters = copy(model.parameters());
  r.buffers = copy(model.buffers());
  r.gradients = copy(trainer.gradients());
  r.scores.assign(scores.begin(), scores.end());
  return r;
}

template <class Net, int Threads>
void check_same(outcome const& expected) {
  outcome const got = train<Net, esp::cpu_parallel<Threads>>();
  BOOST_TEST((got.losses == expected.losses), Threads << " threads: losses");
  BOOST_TEST((got.gradients == expected.gradients), Threads << " threads: gradients");
  BOOST_TEST((got.parameters == expected.parameters), Threads << " threads: parameters");
  BOOST_TEST((got.buffers == expected.buffers), Threads << " threads: buffers");
  BOOST_TEST((got.scores == expected.scores), Threads << " threads: scores");
}

struct norms_of_rows {
  constexpr auto operator()(auto x, auto w) const {
    return std::tuple{sqrt(sum<1>(x * x)), matmul(x, w), sum<0>(x), sum(x * x)};
  }
};

inline constexpr auto convolved = [](auto x, auto w) {
  return esp::conv2d<esp::convolution{.padding = 1, .groups = 40}>(x, w);
};
inline constexpr auto size_of_convolved = [](auto x, auto w, auto dy) { return sum(convolved(x, w) * dy); };
struct convolution_and_gradients {
  constexpr auto operator()(auto x, auto w, auto dy) const {
    return std::tuple{convolved(x, w), esp::grad<0>(size_of_convolved)(x, w, dy),
                      esp::grad<1>(size_of_convolved)(x, w, dy)};
  }
};

}  // namespace

BOOST_AUTO_TEST_CASE(a_small_net_learns_the_same) {
  outcome const expected = train<small, esp::cpu>();
  BOOST_TEST(expected.losses[6] < expected.losses[0]);
  check_same<small, 1>(expected);
  check_same<small, 2>(expected);
  check_same<small, 3>(expected);
}
BOOST_AUTO_TEST_CASE(a_wide_net_learns_the_same) {
  outcome const expected = train<wide, esp::cpu>();
  BOOST_TEST(expected.losses[6] < expected.losses[0]);
  check_same<wide, 2>(expected);
  check_same<wide, 3>(expected);
  check_same<wide, 4>(expected);
}
BOOST_AUTO_TEST_CASE(gradients_and_updates_of_ones_own_are_the_same) {
  auto const x = floats<64, 8, 8>(1);
  auto const y = labels<64>(2, 10);
  auto const run = [&]<class Device>(Device) {
    esp::model<small, Device> model{esp::seed{3}};
    optim::updater updater{model, optim::AdamW{}};
    float loss = 0;
    for (int step = 0; step < 3; ++step) {
      auto const result = esp::value_and_grad(model, nn::SoftmaxLoss{})(x, y);
      updater.update(model, result.gradients);
      loss += result.loss;
    }
    auto const scores = model(x);
    return std::tuple{loss, copy(model.parameters()), std::vector<float>(scores.begin(), scores.end())};
  };
  BOOST_TEST((run(esp::cpu{}) == run(esp::cpu_parallel<3>{})));
}
BOOST_AUTO_TEST_CASE(a_compiled_function_returns_the_same) {
  auto const x = floats<400, 300>(1);
  auto const w = floats<300, 130>(2);
  tensor<float, shape<400>> rows, expected_rows;
  tensor<float, shape<400, 130>> product, expected_product;
  tensor<float, shape<300>> columns, expected_columns;
  tensor<float, shape<>> all, expected_all;
  esp::compiled alone{esp::cpu{}, norms_of_rows{}, x, w};
  esp::compiled together{esp::cpu_parallel<3>{}, norms_of_rows{}, x, w};
  alone(x, w, expected_rows, expected_product, expected_columns, expected_all);
  together(x, w, rows, product, columns, all);
  BOOST_TEST(
      (rows == expected_rows && product == expected_product && columns == expected_columns && all == expected_all));
}
BOOST_AUTO_TEST_CASE(convolutions_of_each_channel_are_the_same) {
  auto const x = floats<2, 24, 24, 40>(1), dy = floats<2, 24, 24, 40>(2);
  auto const w = floats<3, 3, 1, 40>(3);
  auto const run = [&]<class Device>(Device device) {
    tensor<float, shape<2, 24, 24, 40>> y, dx;
    tensor<float, shape<3, 3, 1, 40>> dw;
    esp::compiled f{device, convolution_and_gradients{}, x, w, dy};
    f(x, w, dy, y, dx, dw);
    return std::tuple{copy(y.span()), copy(dx.span()), copy(dw.span())};
  };
  BOOST_TEST((run(esp::cpu{}) == run(esp::cpu_parallel<3>{})));
}
static_assert(sizeof(esp::model<small>) == sizeof(esp::model<small, esp::cpu_parallel<1>>), "one thread needs no team");
