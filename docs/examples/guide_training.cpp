// SPDX-License-Identifier: BSL-1.0
// Page 5 of the guide: loss, optimizer and trainer; batches from a loader; a loop of your own.
//   guide_training [FILE]    prints; with FILE, compares with that file
#include <espalier.hpp>
#include <espalier/data/loader.hpp>

#include "support/show.hpp"

namespace esp = espalier;
namespace nn = espalier::nn;
namespace optim = espalier::optim;
namespace data = espalier::data;
using esp::shape, esp::tensor;

// [net]
using Net = nn::Sequential<nn::Linear<2, 16>, nn::Tanh, nn::Linear<16, 2>>;
using batch = esp::batch<32, 2>;
// [/net]

// [loss]
/// The mean over the samples of what the other classes' scores exceed that of the label by, less a margin of 1.
struct Hinge {
  ESPALIER_MODULE(Hinge)
  template <class Prediction>
  struct target {
    using type = shape<Prediction::template extent<0>()>;  // one label for each sample
    using element_type = std::int32_t;
  };

  constexpr auto forward(auto scores, auto labels) const {
    return mean(sum<1>(relu(scores - unsqueeze<1>(pick(scores, labels)) + 1)) - 1);
  }
};
// [/loss]

namespace {

/// Points of the square [-1, 1) x [-1, 1); the class is whether both coordinates have the same sign.
void sample_points(tensor<float, shape<400, 2>>& points, tensor<std::int32_t, shape<400>>& classes) {
  nn::init::fill(nn::init::uniform{-1, 1}, points.span(), {.seed = 3});
  for (int i = 0; i < 400; ++i) classes[i] = (points(i, 0) > 0) == (points(i, 1) > 0) ? 1 : 0;
}

}  // namespace

// [sum]
inline constexpr auto loss_of = [](auto net, auto x, auto y) { return nn::SoftmaxLoss{}(net(x), y); };
inline constexpr auto add_batch = [](auto net, auto total, auto x, auto y) {
  auto const [loss, gradients] = esp::value_and_grad<0>(loss_of)(net, x, y);
  accumulate(total, gradients);  // total = total + gradients
  return loss;
};
// [/sum]

// [follow]
inline constexpr auto train_and_average = [](auto net, auto average, auto optimizer, auto x, auto y) {
  auto const [loss, gradients] = esp::value_and_grad<0>(loss_of)(net, x, y);
  optimizer.update(net, gradients);
  update_average(average, net, 0.9f);  // average = 0.9 average + 0.1 net, of the new parameters
  return loss;
};
// [/follow]

int main(int count, char** words) {
  examples::recorded out;
  tensor<float, shape<400, 2>> points;
  tensor<std::int32_t, shape<400>> classes;
  sample_points(points, classes);

  // [data]
  // copies, and throws at labels beyond 1
  data::dataset<float, shape<2>> const all{points.span(), classes.span(), {.classes = 2}};
  auto const [train_set, test_set] = all.split(320);
  data::loader batches{train_set, batch{}, data::shuffled{0}, data::drop_last};  // the same order on every machine
  // each batch with its number of real samples
  data::loader tests{test_set, batch{}, data::in_order{}, data::padded};
  // [/data]

  // [trainer]
  esp::model<Net> model{esp::seed{0}};
  esp::trainer trainer{model, nn::SoftmaxLoss{}, optim::Adam{.learning_rate = 0.01}, batch{}};
  float first = 0, last = 0;
  for (int epoch = 0; epoch < 60; ++epoch)
    for (auto const& [inputs, labels] : batches.epoch(epoch)) {
      last = trainer.step(inputs, labels);  // forward, backward, update; the loss before it. No allocation
      if (trainer.steps() == 1) first = last;
    }
  // [/trainer]
  out.print("loss %.1f, after %d steps %s\n", static_cast<double>(first), static_cast<int>(trainer.steps()),
            last < 0.2f ? "below 0.2" : "above");

  // [evaluate]
  std::int64_t correct = 0;
  for (auto const& [inputs, labels, real] : tests.epoch(0)) correct += trainer.evaluate(inputs, labels, real).correct;
  // [/evaluate]
  out.print("of 80 unseen points %s are classified correctly\n", correct >= 74 ? "at least 74" : "too few");

  // [second]
  // 320 samples are 6 batches of 48 and one of 32: each epoch trains with all of them
  data::loader every{train_set, esp::batch<48, 2>{}, data::shuffled{0}, data::second_batch<32>};
  esp::model<Net> fifth{esp::seed{0}};
  esp::trainer both{fifth, nn::SoftmaxLoss{}, optim::Adam{.learning_rate = 0.01}, esp::batch<48, 2>{}, batch{}};
  for (int epoch = 0; epoch < 2; ++epoch)
    every.epoch(epoch, [&](auto const& inputs, auto const& labels) { both.step(inputs, labels); });
  // [/second]
  out.print("two epochs of 7 batches: %d steps\n", static_cast<int>(both.steps()));

  // [own]
  esp::model<Net> other{esp::seed{0}};
  optim::updater sgd{other, optim::SGD{.learning_rate = 0.1, .momentum = optim::nesterov{0.9}}};
  for (int epoch = 0; epoch < 60; ++epoch)
    for (auto const& [inputs, labels] : batches.epoch(epoch)) {
      // gradients are named like parameters
      auto const [loss, gradients] = esp::value_and_grad(other, nn::SoftmaxLoss{})(inputs, labels);
      last = loss;
      sgd.update(other, gradients);
    }
  // [/own]
  out.print("in a loop of your own: %s\n", last < 0.2f ? "below 0.2" : "above");

  // [several]
  esp::model<Net> fourth{esp::seed{0}}, average = fourth.clone();
  optim::updater adam{fourth, optim::Adam{.learning_rate = 0.01}};
  esp::gradients<Net> total;
  tensor<float, batch> const x;  // the compiled functions read only their shapes
  tensor<std::int32_t, shape<32>> const y;
  tensor<float, shape<>> loss;
  esp::compiled add{add_batch, fourth, total, x, y};
  total.fill(0);
  int summed = 0;
  for (int epoch = 0; epoch < 60; ++epoch)
    for (auto const& [inputs, labels] : batches.epoch(epoch)) {
      add(inputs, labels, loss);  // no allocation
      if (++summed % 2 != 0) continue;
      total *= 0.5f;
      adam.update(fourth, total);  // one step along the mean over two batches
      total.fill(0);
    }
  // [/several]
  out.print("two batches before each update: %s\n", loss[0] < 0.2f ? "below 0.2" : "above");

  // [average]
  esp::compiled follow{train_and_average, fourth, average, adam, x, y};
  for (int epoch = 0; epoch < 10; ++epoch)
    for (auto const& [inputs, labels] : batches.epoch(epoch)) follow(inputs, labels, loss);
  // [/average]
  correct = 0;
  esp::trainer judge{average, nn::SoftmaxLoss{}, optim::Adam{}, batch{}};
  for (auto const& [inputs, labels, real] : tests.epoch(0)) correct += judge.evaluate(inputs, labels, real).correct;
  out.print("of 80 unseen points the average classifies %s\n", correct >= 74 ? "at least 74" : "too few");

  // [hinge]
  esp::model<Net> third{esp::seed{0}};
  esp::trainer hinge{third, Hinge{}, optim::Adam{.learning_rate = 0.01}, batch{}};
  for (int epoch = 0; epoch < 60; ++epoch)
    for (auto const& [inputs, labels] : batches.epoch(epoch)) last = hinge.step(inputs, labels);
  // [/hinge]
  out.print("with a loss of your own: %s\n", last < 0.2f ? "below 0.2" : "above");

  // [errors]
  tensor<float, batch> some;
  tensor<std::int32_t, shape<32>> wrong;
  wrong[3] = 2;
  try {
    trainer.step(some, wrong);
  } catch (esp::label_error const& error) {
    out.print("%s\n", error.what());  // and nothing has changed
  }
  // [/errors]

  // [moved]
  esp::model<Net> const before = model.clone();  // a model of its own; const, so that nothing can change it
  esp::model<Net> moved = std::move(model);      // the trainer follows
  for (auto const& [inputs, labels] : batches.epoch(60)) trainer.step(inputs, labels);
  bool const follows = moved.parameter("0.bias").span()[0] != before.parameter("0.bias").span()[0];
  // [/moved]
  out.print("the trainer follows a model that moved: %s\n", follows ? "yes" : "no");
  return out.finish(count, words);
}
