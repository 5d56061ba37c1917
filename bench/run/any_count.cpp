// SPDX-License-Identifier: BSL-1.0
// Batches of up to 64 samples beside programs of exactly their number: a multi-layer perceptron and a small net of
// convolutions, predictions and training steps. "best peer / espalier" is the time of the program for any number,
// divided by that of the program for this number.
#include <espalier/nn/nn.hpp>
#include <espalier/optim/sgd.hpp>
#include <espalier/up_to.hpp>

#include <algorithm>
#include <memory>
#include <span>

#include "harness.hpp"

namespace esp = espalier;
namespace nn = espalier::nn;

namespace {

using bench::operands, bench::work, bench::repeated;
constexpr int most = 64, classes = 10;

using perceptron = nn::Sequential<nn::Flatten, nn::Linear<784, 128>, nn::ReLU, nn::Linear<128, classes>>;
using convolutions =
    nn::Sequential<nn::Conv<1, 8, 3>, nn::ReLU, nn::MaxPool2d<2>, nn::Flatten, nn::Linear<8 * 14 * 14, classes>>;

/// A net, and what an implementation of a row copies into it.
template <class Net>
esp::model<Net> model_of(operands o, int first) {
  esp::model<Net> model{esp::seed{0}};
  model.for_each_parameter(
      [&](char const*, esp::extents const&, esp::span<float> p) { std::copy_n(o.in[first++], p.size(), p.begin()); });
  return model;
}
/// Matrices as a trained net's; biases near 0.
template <class Net>
std::vector<bench::input> with_parameters(std::vector<bench::input> in) {
  auto const model = std::make_unique<esp::model<Net>>(esp::seed{0});
  model->for_each_parameter([&](char const*, esp::extents const& s, esp::span<float const> p) {
    float const range = s.rank > 1 ? 0.1f : 0.05f;
    in.push_back({static_cast<std::size_t>(p.size()), -range, range});
  });
  return in;
}

template <class Net, class Batch>
work predict(operands o, int samples) {
  struct state {
    esp::model<Net> model;
    esp::predictor<esp::model<Net>, Batch> run;
    explicit state(operands in) : model{model_of<Net>(in, 1)}, run{model, Batch{}} {}
  };
  auto const s = std::make_shared<state>(o);
  std::span<float const> const x(o.in[0], static_cast<std::size_t>(samples) * 784);
  std::span<float> const y(o.out[0], static_cast<std::size_t>(samples) * classes);
  return {repeated([=] { s->run(x, y); })};
}
template <class Net, class Batch>
work step(operands o, int samples) {
  struct state {
    esp::model<Net> model;
    esp::trainer<esp::model<Net>, nn::SoftmaxLoss, esp::optim::SGD<>, Batch> trainer;
    float loss = 0;
    explicit state(operands in)
        : model{model_of<Net>(in, 2)},
          trainer{model, nn::SoftmaxLoss{}, esp::optim::SGD{.learning_rate = 0.01}, Batch{}} {}
  };
  auto const s = std::make_shared<state>(o);
  std::span<float const> const x(o.in[0], static_cast<std::size_t>(samples) * 784);
  std::span<std::int32_t const> const labels(o.labels(1), static_cast<std::size_t>(samples));
  return {repeated([=] { s->loss = s->trainer.step(x, labels); }), [=] {
            *o.out[0] = s->loss;
            s->model.for_each_parameter([&](char const*, esp::extents const&, esp::span<float> p) {
              if (p.size() == classes) std::copy_n(p.begin(), p.size(), o.out[1]);
            });
          }};
}

template <class Net, int Samples, int... Sample>
struct count_rows {
  using fixed = esp::batch<Samples, Sample...>;
  using any = esp::batch<esp::up_to<most>, Sample...>;
  static constexpr std::size_t images = std::size_t{Samples} * 784;
  bench::row predictions, steps;
  bench::implementation predict_fixed, predict_any, step_fixed, step_any;
  explicit count_rows(std::string const& net, std::string const& count = "/" + std::to_string(Samples))
      : predictions{net + "_predict" + count,
                    with_parameters<Net>({{images}}),
                    {{std::size_t{Samples} * classes}},
                    0,
                    0},
        steps{net + "_step" + count,
              with_parameters<Net>({{images}, {Samples, 0, 0, classes}}),
              {{1, 1e-5}, {classes}},
              0,
              0},
        predict_fixed{net + "_predict" + count, "espalier", [](operands o) { return predict<Net, fixed>(o, Samples); }},
        predict_any{net + "_predict" + count, "up to 64", [](operands o) { return predict<Net, any>(o, Samples); }},
        step_fixed{net + "_step" + count, "espalier", [](operands o) { return step<Net, fixed>(o, Samples); }},
        step_any{net + "_step" + count, "up to 64", [](operands o) { return step<Net, any>(o, Samples); }} {}
};
template <int... Samples>
struct mlp_rows : count_rows<perceptron, Samples, 28, 28>... {
  mlp_rows() : count_rows<perceptron, Samples, 28, 28>{"any_count/mlp"}... {}
};
template <int... Samples>
struct conv_rows : count_rows<convolutions, Samples, 1, 28, 28>... {
  conv_rows() : count_rows<convolutions, Samples, 1, 28, 28>{"any_count/conv"}... {}
};

#ifndef BENCH_COUNTS
#define BENCH_COUNTS 1, 2, 3, 5, 7, 8, 13, 16, 17, 24, 31, 32, 33, 48, 63, 64
#endif
mlp_rows<BENCH_COUNTS> const mlp;
#ifndef BENCH_CONV_COUNTS
#define BENCH_CONV_COUNTS 1, 3, 8, 17, 64
#endif
conv_rows<BENCH_CONV_COUNTS> const conv;

}  // namespace
