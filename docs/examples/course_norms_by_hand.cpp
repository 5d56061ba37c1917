// SPDX-License-Identifier: BSL-1.0
// The numbers of the course's page 4: LayerNorm1d and BatchNorm1d from sum, reshape and broadcast, compared with the
// modules of the library.
//   course_norms_by_hand [FILE]    prints them; with FILE, compares them with that file
#include <espalier.hpp>

#include "support/recorded.hpp"

namespace esp = espalier;
namespace nn = espalier::nn;
namespace optim = espalier::optim;
using esp::shape, esp::tensor;

constexpr double eps = 1e-5;

namespace steps {
// [x]
// Four examples (rows) of three features (columns).
constexpr tensor<double, shape<4, 3>> x{{1, 2, 6}, {3, 6, 0}, {5, 2, 2}, {7, 6, 4}};
// [/x]

namespace layer {
// [layer_mean]
constexpr tensor<double, shape<4>> total = sum<1>(x);                          // one sum for each example
constexpr tensor<double, shape<4, 1>> mean = esp::reshape<4, 1>(total) / 3.0;  // a column
constexpr tensor<double, shape<4, 3>> means = broadcast_to<4, 3>(mean);        // each row repeats its mean
// [/layer_mean]
// [layer_variance]
constexpr tensor<double, shape<4, 3>> centered = x - means;
constexpr tensor<double, shape<4>> squares = sum<1>(pow(centered, 2.0));
constexpr tensor<double, shape<4, 1>> variance = esp::reshape<4, 1>(squares) / 3.0;
constexpr tensor<double, shape<4, 3>> deviations = broadcast_to<4, 3>(sqrt(variance + eps));
// [/layer_variance]
// [layer_result]
constexpr tensor<double, shape<4, 3>> normalized = centered / deviations;
constexpr tensor<double, shape<3>> weight{1, 2, 3}, bias{0, 0, 1};
constexpr tensor<double, shape<4, 3>> weights = broadcast_to<4, 3>(esp::reshape<1, 3>(weight));
constexpr tensor<double, shape<4, 3>> biases = broadcast_to<4, 3>(esp::reshape<1, 3>(bias));
constexpr tensor<double, shape<4, 3>> y = weights * normalized + biases;
// [/layer_result]
}  // namespace layer

namespace batch {
// [batch_statistics]
constexpr tensor<double, shape<3>> mean = sum<0>(x) / 4.0;  // one mean for each feature
constexpr tensor<double, shape<4, 3>> means = broadcast_to<4, 3>(esp::reshape<1, 3>(mean));
constexpr tensor<double, shape<4, 3>> centered = x - means;
constexpr tensor<double, shape<3>> variance = sum<0>(pow(centered, 2.0)) / 4.0;
constexpr tensor<double, shape<4, 3>> deviations = broadcast_to<4, 3>(esp::reshape<1, 3>(sqrt(variance + eps)));
constexpr tensor<double, shape<4, 3>> normalized = centered / deviations;
// [/batch_statistics]
// [batch_running]
constexpr double momentum = 0.1;
constexpr tensor<double, shape<3>> running_mean{0, 0, 0}, running_var{1, 1, 1};  // where they start
constexpr tensor<double, shape<3>> next_mean = (1 - momentum) * running_mean + momentum * mean;
constexpr tensor<double, shape<3>> next_var = (1 - momentum) * running_var + momentum * variance;
// [/batch_running]
// [batch_evaluation]
constexpr tensor<double, shape<4, 3>> kept_means = broadcast_to<4, 3>(esp::reshape<1, 3>(next_mean));
constexpr tensor<double, shape<4, 3>> kept_deviations = broadcast_to<4, 3>(esp::reshape<1, 3>(sqrt(next_var + eps)));
constexpr tensor<double, shape<4, 3>> evaluated = (x - kept_means) / kept_deviations;
// [/batch_evaluation]
}  // namespace batch
}  // namespace steps

// [layer_module]
template <int Batch, int Features>
struct LayerNormByHand {
  esp::parameter<shape<Features>, nn::init::initialized_by<nn::init::ones{}>> weight{};
  esp::parameter<shape<Features>, nn::init::initialized_by<nn::init::zeros{}>> bias{};
  ESPALIER_MODULE(LayerNormByHand, weight, bias)

  constexpr auto forward(auto x) const {                                          // (Batch, Features)
    auto const mean = esp::reshape<Batch, 1>(sum<1>(x)) / Features;               // (Batch, 1)
    auto const centered = x - broadcast_to<Batch, Features>(mean);                // (Batch, Features)
    auto const squares = sum<1>(pow(centered, 2));                                // (Batch)
    auto const variance = esp::reshape<Batch, 1>(squares) / Features;             // (Batch, 1)
    auto const deviations = broadcast_to<Batch, Features>(sqrt(variance + eps));  // (Batch, Features)
    auto const weights = broadcast_to<Batch, Features>(esp::reshape<1, Features>(weight));
    auto const biases = broadcast_to<Batch, Features>(esp::reshape<1, Features>(bias));
    return weights * (centered / deviations) + biases;  // (Batch, Features)
  }
};
// [/layer_module]

// [batch_module]
template <int Batch, int Features>
struct BatchNormByHand {
  esp::parameter<shape<Features>, nn::init::initialized_by<nn::init::ones{}>> weight{};
  esp::parameter<shape<Features>, nn::init::initialized_by<nn::init::zeros{}>> bias{};
  esp::buffer<shape<Features>, nn::init::initialized_by<nn::init::zeros{}>> running_mean{};
  esp::buffer<shape<Features>, nn::init::initialized_by<nn::init::ones{}>> running_var{};
  ESPALIER_MODULE(BatchNormByHand, weight, bias, running_mean, running_var)

  static constexpr auto repeated(auto row) {  // (Features) -> (Batch, Features)
    return broadcast_to<Batch, Features>(esp::reshape<1, Features>(row));
  }
  constexpr auto scaled(auto normalized) const { return repeated(weight) * normalized + repeated(bias); }

  constexpr auto forward(auto x) const {
    auto const training = [&] {
      auto const mean = sum<0>(x) / Batch;                               // (Features)
      auto const centered = x - repeated(mean);                          // (Batch, Features)
      auto const variance = sum<0>(pow(centered, 2)) / Batch;            // (Features)
      auto const y = scaled(centered / repeated(sqrt(variance + eps)));  // (Batch, Features)
      auto const with_mean = with_update(y, running_mean, running_mean * 0.9 + mean * 0.1);
      return with_update(with_mean, running_var, running_var * 0.9 + variance * 0.1);
    };
    auto const evaluation = [&] { return scaled((x - repeated(running_mean)) / repeated(sqrt(running_var + eps))); };
    return by_mode(x, training, evaluation);
  }
};
// [/batch_module]

// [compared]
// Adds a parameter that starts at 0: its gradient is the gradient of the norm's input.
struct Shift {
  esp::parameter<shape<4, 3>, nn::init::initialized_by<nn::init::zeros{}>> input{};
  ESPALIER_MODULE(Shift, input)
  constexpr auto forward(auto x) const { return x + input; }
};
template <class Norm>
using Model = esp::model<nn::Sequential<Shift, Norm>, esp::cpu, double>;
// [/compared]
constexpr tensor<double, shape<4, 3>> target{{1, 0, 2}, {0, 3, 1}, {2, 2, 0}, {1, 5, 4}};

// [counted]
// A linear layer in front: 32 examples, from 6 features to 64.
template <class Norm>
using Net = nn::Sequential<nn::Linear<6, 64, nn::no_bias>, Norm>;
template <class Norm>
constexpr auto step = esp::training_plan<Net<Norm>, nn::MeanSquaredError, optim::SGD<>, esp::batch<32, 6>>;
template <class Norm>
constexpr auto evaluation = esp::prediction_plan<Net<Norm>, esp::batch<32, 6>>;
// [/counted]

namespace {

/// Prints a tensor with its shape, row by row.
template <class S>
void show(examples::recorded& out, char const* name, tensor<double, S> const& t) {
  int const rows = S::rank == 2 ? S::value.at[0] : 1, columns = static_cast<int>(S::size) / rows;
  for (int i = 0; i < rows; ++i) {
    if (i != 0) out.print("%-20s", "");
    else if (S::rank == 2) out.print("%-14s(%d,%d) ", name, rows, columns);
    else out.print("%-14s(%d)   ", name, columns);
    for (int k = 0; k < columns; ++k) out.print(" %7.4f", t[i * columns + k]);
    out.end_line();
  }
}

/// Prints whether two rows of numbers are equal, up to rounding.
void agree(examples::recorded& out, char const* what, auto const& a, auto const& b) {
  bool same = a.size() == b.size();
  for (std::int64_t i = 0; same && i < a.size(); ++i) same = esp::math::abs(a[i] - b[i]) < 1e-12;
  out.print("  %-24s%s\n", what, same ? "equal" : "DIFFERENT");
}

template <class Model>
void set_gain_and_bias(Model& model) {
  for (int k = 0; k < 3; ++k) {
    model.parameter("1.weight").span()[k] = steps::layer::weight[k];
    model.parameter("1.bias").span()[k] = steps::layer::bias[k];
  }
}
template <class Model>
void observe_three_times(Model& model) {
  esp::trainer trainer{model, nn::MeanSquaredError{}, optim::SGD<>{.learning_rate = 0}, esp::batch<4, 3>{}};
  for (int i = 0; i < 3; ++i) trainer.step(steps::x, target);
}

template <class Hand, class Library>
void compare(examples::recorded& out, char const* name) {
  out.print("%s\n", name);
  Model<Hand> hand{esp::seed{0}};
  Model<Library> library{esp::seed{0}};
  set_gain_and_bias(hand);
  set_gain_and_bias(library);
  auto const mine = esp::value_and_grad(hand, nn::MeanSquaredError{})(steps::x, target);
  auto const theirs = esp::value_and_grad(library, nn::MeanSquaredError{})(steps::x, target);
  tensor<double, shape<1>> const loss{mine.loss}, expected_loss{theirs.loss};
  agree(out, "loss in training", loss.span(), expected_loss.span());
  char const* const parameters[][2] = {
      {"gradient of weight", "1.weight"}, {"gradient of bias", "1.bias"}, {"gradient of input", "0.input"}};
  for (auto const& [what, path] : parameters)
    agree(out, what, mine.gradients.parameter(path).span(), theirs.gradients.parameter(path).span());
  if constexpr (requires { Library{}.running_mean; }) {
    observe_three_times(hand);
    observe_three_times(library);
    for (char const* path : {"1.running_mean", "1.running_var"})
      agree(out, path + 2, hand.buffer(path).span(), library.buffer(path).span());
  }
  tensor<double, shape<4, 3>> const y = hand(steps::x), expected_y = library(steps::x);
  agree(out, "output in evaluation", y.span(), expected_y.span());
}

template <class Hand, class Library>
void count(examples::recorded& out, char const* name) {
  auto const& a = step<Hand>;
  auto const& b = step<Library>;
  out.print("%-28s by hand  library\n", name);
  out.print("  kernels of a step       %9d%9d\n", a.kernel_count, b.kernel_count);
  out.print("  flops of a step         %9d%9d\n", static_cast<int>(a.flops), static_cast<int>(b.flops));
  out.print("  workspace, bytes        %9d%9d\n", static_cast<int>(a.workspace_bytes),
            static_cast<int>(b.workspace_bytes));
  out.print("  kernels of an evaluation%9d%9d\n", evaluation<Hand>.kernel_count, evaluation<Library>.kernel_count);
}

// [rounding]
/// The largest error of a layer in float, for rows of 1000 values with the mean 10,000 and the deviation 1.
template <class Layer>
double error_of() {
  tensor<float, shape<4, 1000>> large;
  nn::init::fill(nn::init::normal{}, large.span(), {.seed = 1});
  for (float& value : large) value += 10'000;
  tensor<double, shape<4, 1000>> in_double;
  for (int i = 0; i < 4000; ++i) in_double[i] = static_cast<double>(large[i]);
  tensor<double, shape<4, 1000>> const exact = normalize<1>(in_double, eps);
  tensor<float, shape<4, 1000>> const result = esp::model<Layer>{esp::seed{0}}(large);
  double worst = 0;
  for (int i = 0; i < 4000; ++i) {
    double const error = esp::math::abs(static_cast<double>(result[i]) - exact[i]);
    worst = error > worst ? error : worst;
  }
  return worst;
}
// [/rounding]

}  // namespace

int main(int argument_count, char** words) {
  static examples::recorded out;
  show(out, "x", steps::x);
  out.print("LayerNorm1d\n");
  show(out, "total", steps::layer::total);
  show(out, "mean", steps::layer::mean);
  show(out, "centered", steps::layer::centered);
  show(out, "squares", steps::layer::squares);
  show(out, "variance", steps::layer::variance);
  show(out, "normalized", steps::layer::normalized);
  show(out, "y", steps::layer::y);
  out.print("BatchNorm1d\n");
  show(out, "mean", steps::batch::mean);
  show(out, "centered", steps::batch::centered);
  show(out, "variance", steps::batch::variance);
  show(out, "normalized", steps::batch::normalized);
  show(out, "next_mean", steps::batch::next_mean);
  show(out, "next_var", steps::batch::next_var);
  show(out, "evaluated", steps::batch::evaluated);
  compare<LayerNormByHand<4, 3>, nn::LayerNorm1d<3>>(out, "LayerNormByHand and nn::LayerNorm1d");
  compare<BatchNormByHand<4, 3>, nn::BatchNorm1d<3>>(out, "BatchNormByHand and nn::BatchNorm1d");
  count<LayerNormByHand<32, 64>, nn::LayerNorm1d<64>>(out, "LayerNorm1d");
  count<BatchNormByHand<32, 64>, nn::BatchNorm1d<64>>(out, "BatchNorm1d");
  double const by_hand = error_of<LayerNormByHand<4, 1000>>(), by_library = error_of<nn::LayerNorm1d<1000>>();
  out.print("error in float: by hand %s, library %s\n", by_hand > 1e-4 ? "above 0.0001" : "below 0.0001",
            by_library < 1e-5 ? "below 0.00001" : "above 0.00001");
  return out.finish(argument_count, words);
}
