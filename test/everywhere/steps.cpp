// SPDX-License-Identifier: BSL-1.0
// Inference from constant weights, a frozen net, training and a stream, in static memory: what a processor without an
// operating system has to compute.
#include <espalier.hpp>
#include <espalier/model/embedded.hpp>
#include <espalier/model/frozen.hpp>
#include <espalier/stream.hpp>

#include <cstdio>
#include <cstdlib>

#include "../../docs/examples/support/digits_net.hpp"
#include "../../docs/examples/support/digits_weights.hpp"
#include "expect.hpp"

namespace esp = espalier;
namespace nn = espalier::nn;

/// Numbers between -1 and 1, the same ones everywhere.
class numbers {
 public:
  float next() {
    state_ = state_ * 1664525u + 1013904223u;
    return static_cast<float>(state_ >> 16) / 32768.0f - 1.0f;
  }
  void fill(float* to, std::int64_t count) {
    for (std::int64_t i = 0; i < count; ++i) to[i] = next();
  }

 private:
  std::uint32_t state_ = 1;
};

// Weights in read-only memory.

using picture = esp::batch<1, 8, 8>;
static constexpr esp::read_only_model<DigitsNet, digits_weights> trained;
static esp::bytes<esp::predictor<decltype(trained), picture>::bytes> predictor_room;
static esp::bytes<esp::frozen<decltype(trained), picture>::bytes> frozen_room;

static void infer(everywhere::report& to) {
  esp::predictor classify{trained, picture{}, predictor_room};
  esp::frozen net{trained, picture{}, frozen_room};
  static esp::tensor<float, picture> x;
  static esp::tensor<float, esp::shape<1, 10>> scores;
  everywhere::bits_hash of_predictor, of_frozen;
  float predicted = 0, froze = 0;
  numbers from;
  for (int i = 0; i < 10; ++i) {
    from.fill(x.data(), 64);
    classify(x, scores);
    of_predictor.add(scores.data(), 10);
    predicted += scores.data()[i] / 10;
    net(x, scores);
    of_frozen.add(scores.data(), 10);
    froze += scores.data()[i] / 10;
  }
  to.check({"predictor", -1.241808f, 0x8530040ce369e60e}, predicted, of_predictor);
  to.check({"frozen net", -1.241808f, 0xbd2c524563fe5a57}, froze, of_frozen);
}

// Training.

using Net = nn::Sequential<nn::Linear<16, 32>, nn::BatchNorm1d<32>, nn::ReLU, nn::Linear<32, 4>>;
using Model = esp::model<Net>;
using batch = esp::batch<8, 16>;
static esp::bytes<Model::bytes> model_room;

template <class Optimizer>
static void train(everywhere::report& to, everywhere::expected const& expected, Optimizer optimizer, int steps) {
  using Trainer = esp::trainer<Model, nn::SoftmaxLoss, Optimizer, batch>;
  static esp::bytes<Trainer::bytes> room;
  Model model{esp::seed{0}, model_room};
  Trainer trainer{room, model, nn::SoftmaxLoss{}, optimizer, batch{}};
  static esp::tensor<float, batch> x;
  static esp::tensor<std::int32_t, esp::shape<8>> y;
  everywhere::bits_hash hash;
  numbers from;
  float loss = 0;
  for (int step = 0; step < steps; ++step) {
    from.fill(x.data(), 8 * 16);
    for (int row = 0; row < 8; ++row)
      y.data()[row] = (x.data()[row * 16] > 0 ? 2 : 0) + (x.data()[row * 16 + 1] > 0 ? 1 : 0);
    loss = trainer.step(x, y);
    hash.add(loss);
  }
  for (float const number : model.template parameter<"0.weight">().span()) hash.add(number);
  to.check(expected, loss, hash);
}

// A stream, with the elementary functions of a gate.

using Causal = nn::Conv1d<4, 8, 3, nn::conv{.padding = {0, 2, 0, 0}, .layout = esp::nhwc}>;
using Signal = nn::Sequential<Causal, nn::Tanh, nn::Linear<8, 4>, nn::Sigmoid>;
using SignalModel = esp::model<Signal>;
using block = esp::batch<1, 4, 4>;
using Stream = esp::stream<SignalModel, block>;
static esp::bytes<SignalModel::bytes> signal_room;
static esp::bytes<Stream::bytes> stream_room;

static void follow(everywhere::report& to) {
  SignalModel const model{esp::seed{1}, signal_room};
  Stream stream{model, block{}, stream_room};
  static esp::tensor<float, block> x, y;
  everywhere::bits_hash hash;
  numbers from;
  float mean = 0;
  for (int i = 0; i < 32; ++i) {
    from.fill(x.data(), 16);
    stream(x, y);
    hash.add(y.data(), 16);
    mean += y.data()[i % 16] / 32;
  }
  to.check({"stream", 0.417813f, 0x41aa093e9eed5a5d}, mean, hash);
}

// Every elementary function, in float and double.

static void functions(everywhere::report& to) {
  static esp::tensor<float, esp::shape<64>> x, y;
  static esp::tensor<double, esp::shape<64>> wide;
  numbers from;
  from.fill(x.data(), 64);
  for (int i = 0; i < 64; ++i) wide.data()[i] = static_cast<double>(x.data()[i]);
  everywhere::bits_hash hash;
  float mean = 0;
  auto const add = [&](float number) {
    hash.add(number);
    mean += number / 640;
  };
  auto const all = [&](auto const& t, auto const& results) {
    for (auto const number : results) add(static_cast<float>(number));
    (void)t;
  };
  all(x, esp::evaluate(esp::exp(x) + esp::tanh(x) * esp::sigmoid(x) - esp::sqrt(esp::abs(x))));
  all(x, esp::evaluate(esp::log(esp::abs(x)) + esp::erf(x) + esp::gelu(x)));
  all(x, esp::evaluate(esp::sin(x * 9.0f) + esp::cos(x * 9.0f) + esp::pow(esp::abs(x), x)));
  all(wide, esp::evaluate(esp::exp(wide) + esp::tanh(wide) * esp::sigmoid(wide) - esp::sqrt(esp::abs(wide))));
  all(wide, esp::evaluate(esp::log(esp::abs(wide)) + esp::erf(wide) + esp::sin(wide) + esp::cos(wide) +
                          esp::pow(esp::abs(wide), wide)));
  all(x, esp::evaluate(esp::softmax(esp::reshape<8, 8>(x))));
  to.check({"functions", 0.218405f, 0x93657bee42783915}, mean, hash);
}

int main() {
  // [handler]
  esp::set_error_handler([](char const* sentence) {
    std::puts(sentence);
    std::exit(1);
  });
  // [/handler]
  everywhere::report to;
  infer(to);
  train(to, {"SGD", 1.413617f, 0xcd6bc96c0cff5329}, esp::optim::SGD<>{.learning_rate = 1e-2f}, 50);
  train(to, {"Adam", 0.437147f, 0x61c3895e41144e32}, esp::optim::Adam{.learning_rate = 1e-2f}, 100);
  follow(to);
  functions(to);
  return to.finish();
}
