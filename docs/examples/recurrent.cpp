// SPDX-License-Identifier: BSL-1.0
// Recurrent layers: a classifier of sequences, a state that is carried from part to part, and training on parts of a
// long sequence.
//   recurrent [FILE]    with FILE, compares what it prints with that file
#include <espalier.hpp>

#include "support/recorded.hpp"

namespace esp = espalier;
namespace nn = espalier::nn;
namespace optim = espalier::optim;
using esp::shape, esp::tensor;

// [layer]
// Three steps of two sequences with one feature each: (steps, batch, features).
using parts = shape<3, 2, 1>;
using Layer = nn::LSTM<1, 4>;
static_assert(esp::output_shape<Layer, parts> == esp::shapes<shape<3, 2, 4>, shape<1, 2, 4>, shape<1, 2, 4>>{});
// the output of the last step of a sequence, and a class: a net of one result, which a trainer accepts
using Classifier = nn::Sequential<nn::LastOutput<nn::GRU<1, 4, nn::gru{.batch_first = true}>>, nn::Linear<4, 2>>;
static_assert(esp::output_shape<Classifier, esp::batch<8, 3, 1>> == shape<8, 2>{});
// [/layer]

// [step]
/// Predicts the next sample of each sequence from a state.
struct Forecast {
  nn::LSTM<1, 4> lstm;
  nn::Linear<4, 1> head;
  ESPALIER_MODULE(Forecast, lstm, head)

  constexpr auto forward(auto x, auto h, auto c) const {
    auto const [y, next_h, next_c] = lstm(x, h, c);
    return std::tuple{head(y), next_h, next_c};
  }
};
inline constexpr auto loss_of = [](auto net, auto x, auto expected, auto h, auto c) {
  return nn::MeanSquaredError{}(std::get<0>(net(x, h, c)), expected);
};
/// One update. The state is a result and then an argument, so no gradient passes from one part to the next.
inline constexpr auto train = [](auto net, auto optimizer, auto x, auto expected, auto h, auto c) {
  auto const [y, next_h, next_c] = net(x, h, c);
  auto const [loss, gradients] = esp::value_and_grad<0>(loss_of)(net, x, expected, h, c);
  optimizer.update(net, gradients);
  return std::tuple{loss, next_h, next_c};
};
// [/step]

int main(int count, char** arguments) {
  examples::recorded out;
  // [carry]
  esp::model<Layer> model{esp::seed{1}};
  tensor<float, parts> first, second;
  nn::init::fill(nn::init::uniform{-1, 1}, first.span(), {.seed = 1});
  nn::init::fill(nn::init::uniform{-1, 1}, second.span(), {.seed = 2});
  tensor<float, shape<6, 2, 1>> const whole = esp::concatenate<0>(first, second);
  auto const [y, h, c] = model(first);            // starts from zeros; y has the output of each step
  auto const [y2, h2, c2] = model(second, h, c);  // continues
  auto const [all, last_h, last_c] = model(whole);
  out.print("parts are the whole: %s\n", all_close(h2, last_h) && all_close(c2, last_c) ? "yes" : "no");
  // [/carry]
  // [train]
  esp::model<Forecast> forecast{esp::seed{1}};
  optim::updater updater{forecast, optim::clip_by_norm{optim::RMSProp{.learning_rate = 0.01}, 1.0}};
  tensor<float, parts> x, expected;
  tensor<float, shape<1, 2, 4>> state, memory;
  tensor<float, shape<>> loss;
  esp::compiled step{train, forecast, updater, x, expected, state, memory};
  float before = 0;
  for (int i = 0; i < 600; ++i) {
    for (int k = 0; k < 6; ++k) {  // sequences of period 4, in parts of 3 steps
      auto const sample = [&](int at) { return (at + k % 2) % 4 < 2 ? 1.0f : -1.0f; };
      x[k] = sample(3 * i + k / 2);
      expected[k] = sample(3 * i + k / 2 + 1);
    }
    step(x, expected, state, memory, loss, state, memory);
    if (i == 0) before = loss[0];
  }
  out.print("loss %.2f, after 600 steps below 0.05: %s\n", static_cast<double>(before), loss[0] < 0.05f ? "yes" : "no");
  // [/train]
  return out.finish(count, arguments);
}
