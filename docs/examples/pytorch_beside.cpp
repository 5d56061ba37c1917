// SPDX-License-Identifier: BSL-1.0
// The C++ half of docs/pytorch.md: what a program of PyTorch's becomes.
#include <espalier.hpp>
#include <espalier/data/loader.hpp>

#include <cstdio>

namespace esp = espalier;
namespace nn = espalier::nn;
namespace optim = espalier::optim;
namespace data = espalier::data;
using esp::shape, esp::tensor;

// [net]
struct Net {
  nn::Linear<64, 32> hidden;
  nn::BatchNorm1d<32> norm;
  nn::Dropout<0.1> drop;
  nn::Linear<32, 10> head;
  ESPALIER_MODULE(Net, hidden, norm, drop, head)

  constexpr auto forward(auto x) const { return head(drop(relu(norm(hidden(nn::Flatten{}(x)))))); }
};
static_assert(esp::output_shape<Net, esp::batch<32, 8, 8>> == shape<32, 10>{});  // checked before anything runs
// [/net]

// [layer]
template <int In, int Out>
struct Gated {
  nn::Linear<In, Out> value;
  nn::Linear<In, Out> gate;
  esp::parameter<shape<Out>, nn::init::initialized_by<nn::init::ones{}>> scale{};
  ESPALIER_MODULE(Gated, value, gate, scale)

  constexpr auto forward(auto x) const { return value(x) * sigmoid(gate(x)) * scale; }
};
// [/layer]

// [loss]
struct Charbonnier {
  ESPALIER_MODULE(Charbonnier)
  template <class Prediction>
  struct target {
    using type = Prediction;    // targets have the shape of the prediction
    using element_type = void;  // and the model's element type
  };
  constexpr auto forward(auto prediction, auto targets) const {
    return mean(sqrt((prediction - targets) * (prediction - targets) + 1e-3));
  }
};
// [/loss]

// [function]
inline constexpr auto energy = [](auto x, auto stiffness) { return sum(stiffness * x * x) / 2; };
// [/function]

namespace {

void train_digits() {
  // [data]
  using batch = esp::batch<32, 8, 8>;
  data::dataset<float, shape<8, 8>> const digits{ESPALIER_DATA "/optdigits-images-idx3-ubyte",
                                                 ESPALIER_DATA "/optdigits-labels-idx1-ubyte",
                                                 {.classes = 10, .scale = 1.0 / 16}};
  auto const [train_set, test_set] = digits.split(1437);
  data::loader batches{train_set, batch{}, data::shuffled{0}, data::drop_last};
  data::loader tests{test_set, batch{}, data::in_order{}, data::padded};
  // [/data]

  // [train]
  esp::model<Net> model{esp::seed{0}};
  esp::trainer trainer{model, nn::SoftmaxLoss{}, optim::Adam{.learning_rate = 1e-3}, batch{}};
  float loss = 0;
  for (int epoch = 0; epoch < 10; ++epoch)
    for (auto const& [images, labels] : batches.epoch(epoch)) loss = trainer.step(images, labels);
  // [/train]
  std::printf("loss after 10 epochs: %s\n", loss < 1 ? "below 1" : "too high");

  // [evaluate]
  std::int64_t correct = 0;
  for (auto const& [images, labels, count] : tests.epoch(0)) correct += trainer.evaluate(images, labels, count).correct;
  // [/evaluate]
  std::printf("of 360 test digits, %s are right\n", correct >= 300 ? "at least 300" : "too few");

  // [rate]
  constexpr optim::cosine rate{.from = 1e-3, .to = 1e-5, .over = 88};
  for (auto const& [images, labels] : batches.epoch(10)) {
    trainer.learning_rate() = rate(trainer.steps() - 440);  // 440 steps were taken at the first rate
    trainer.step(images, labels);
  }
  // [/rate]
  std::printf("learning rate after 44 of 88 steps: %.4f\n", trainer.learning_rate());

  // [modes]
  tensor<float, esp::batch<1, 8, 8>> digit;
  nn::init::fill(nn::init::uniform{}, digit.span(), {.seed = 1});
  bool const repeatable = model(digit) == model(digit);  // evaluation: no dropout, running statistics
  auto const mean = model.buffer<"norm.running_mean">();
  float const before = mean.span()[0];
  for (auto const& [images, labels] : batches.epoch(11)) {
    trainer.step(images, labels);  // training: dropout, the batch's statistics
    break;
  }
  bool const observed = mean.span()[0] != before;
  // [/modes]
  std::printf("evaluation repeats: %s; a step changes the running mean: %s\n", repeatable ? "yes" : "no",
              observed ? "yes" : "no");
}

void fit_a_line() {
  tensor<float, shape<16, 4>> x;
  tensor<float, shape<16, 2>> y;
  nn::init::fill(nn::init::normal{}, x.span(), {.seed = 1});
  for (int i = 0; i < 16; ++i) {
    y(i, 0) = x(i, 0) + x(i, 1);
    y(i, 1) = x(i, 2) - x(i, 3);
  }
  // [use]
  esp::model<Gated<4, 2>> model{esp::seed{0}};
  esp::trainer trainer{model, Charbonnier{}, optim::Adam{.learning_rate = 0.02}, esp::batch<16, 4>{}};
  float const first = trainer.step(x, y);
  float last = first;
  for (int step = 0; step < 500; ++step) last = trainer.step(x, y);
  // [/use]
  std::printf("own layer, own loss: %s\n", last < first / 4 ? "below a quarter of the first" : "too high");
}

}  // namespace

int main() {
  train_digits();
  fit_a_line();

  // [grad]
  tensor<float, shape<3>> const x{1, 2, 3}, stiffness{1, 10, 100};
  auto const [value, gradients] = esp::value_and_grad(energy)(x, esp::constant(stiffness));
  auto const dx = esp::grad<0>(energy)(x, esp::constant(stiffness));  // stiffness x
  // [/grad]
  std::printf("energy %.1f, gradient %.1f %.1f %.1f\n", static_cast<double>(value), static_cast<double>(dx[0]),
              static_cast<double>(dx[1]), static_cast<double>(dx[2]));
  return 0;
}
