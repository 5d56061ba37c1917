// SPDX-License-Identifier: BSL-1.0
// The numbers of the course's pages 5 and 6: BatchNorm's two modes, its running statistics, and what batch size does.
#include <espalier.hpp>

#include <cstdio>

namespace esp = espalier;
namespace nn = espalier::nn;
namespace optim = espalier::optim;
using esp::shape, esp::tensor;

using samples = tensor<double, shape<4, 3>>;
constexpr samples four{{1, 2, 5}, {2, 2, 6}, {3, 2, 7}, {4, 2, 8}};

/// One step of training that moves no parameter, so that only the running statistics change.
template <class Model>
void observe(Model& model, samples const& batch) {
  esp::trainer trainer{model, nn::MeanSquaredError{}, optim::SGD<>{.learning_rate = 0}, esp::batch<4, 3>{}};
  trainer.step(batch, samples{});
}
template <nn::norm Options>
using norm_model = esp::model<nn::BatchNorm1d<3, Options>, esp::cpu, double>;

// [lag]
/// The mean of the data grows by 1 with each batch. Returns how far the running mean is behind after 60 batches.
template <nn::norm Options>
double behind() {
  norm_model<Options> drifting{esp::seed{0}};
  for (int k = 1; k <= 60; ++k) {
    samples batch;
    for (int i = 0; i < batch.size(); ++i) batch[i] = k;
    observe(drifting, batch);
  }
  return 60 - drifting.buffer("running_mean").span()[0];
}
// [/lag]

template <class S>
double sum_of(tensor<double, S> const& x) {
  return evaluate(sum(x));
}

/// Root mean square of the means of batches of N standard normal samples.
template <int N>
double error_of_mean() {
  double squares = 0;
  for (unsigned number = 0; number < 2000; ++number) {
    tensor<double, shape<N>> batch;
    nn::init::fill(nn::init::normal{}, batch.span(), {.seed = 3, .number = number});
    double const mean_of_batch = evaluate(mean(batch));
    squares += mean_of_batch * mean_of_batch;
  }
  return esp::math::sqrt(squares / 2000);
}

bool near(double a, double b) { return esp::math::abs(a - b) < 1e-12; }

int main() {
  bool good = true;

  // [running]
  norm_model<nn::norm{.eps = 1e-5, .momentum = 0.1}> model{esp::seed{0}};
  auto const means = model.buffer("running_mean").span();
  auto const variances = model.buffer("running_var").span();
  good = good && means[0] == 0 && variances[0] == 1;  // the initial values

  observe(model, four);  // batch means 2.5, 2, 6.5; batch variances 1.25, 0, 1.25
  good = good && near(means[0], 0.25) && near(means[1], 0.2) && near(means[2], 0.65);
  good = good && near(variances[0], 1.025) && near(variances[1], 0.9) && near(variances[2], 1.025);

  samples const evaluated = model(four);  // with the running statistics, not those of this batch
  good = good && all_close(evaluated,
                           samples{{0.7407935838687675, 1.897356055263334, 4.296602786438851},
                                   {1.7285183623604574, 1.897356055263334, 5.284327564930541},
                                   {2.7162431408521472, 1.897356055263334, 6.2720523434222315},
                                   {3.7039679193438375, 1.897356055263334, 7.259777121913921}},
                           1e-9, 1e-12);
  // [/running]

  // [affine]
  // Evaluation still applies weight and bias: of the last channel, 4.2966 times 3, minus 1.
  model.parameter("weight").span()[2] = 3;
  model.parameter("bias").span()[2] = -1;
  good = good && near(model(four)(0, 2), 3 * evaluated(0, 2) - 1) && model(four)(0, 0) == evaluated(0, 0);
  // [/affine]

  // [policy]
  // The unbiased variance is 5/3 instead of 1.25, so the running variance becomes 0.9 + 0.1 * 5/3 = 1.0667.
  norm_model<nn::norm{.eps = 1e-5, .momentum = 0.1, .variance = nn::unbiased}> unbiased{esp::seed{0}};
  observe(unbiased, four);
  good = good && near(unbiased.buffer("running_var").span()[0], 0.9 + 0.1 * 5 / 3);
  // [/policy]

  // [momentum]
  // m = 1 keeps only the last batch, m = 0 keeps the start for ever.
  norm_model<nn::norm{.momentum = 1}> last{esp::seed{0}};
  norm_model<nn::norm{.momentum = 0}> start{esp::seed{0}};
  observe(last, four);
  observe(start, four);
  good = good && last.buffer("running_mean").span()[2] == 6.5 && start.buffer("running_mean").span()[2] == 0;
  // [/momentum]

  // [drift]
  // (1 - m) / m batches: nine for m = 0.1, a ninth of a batch for m = 0.9.
  good = good && esp::math::abs(behind<nn::norm{.momentum = 0.1}>() - 9) < 0.02;
  good = good && near(behind<nn::norm{.momentum = 0.9}>(), 1.0 / 9);
  // [/drift]

  // [gradient]
  // Gradients pass through the mean and variance of the batch. A shift of a whole column changes nothing, so the
  // gradients of the column sum to 0.
  constexpr auto weighted = [](auto x, auto k) { return sum(normalize<0>(x, 0.0) * k); };
  constexpr auto held = [](auto x, auto k) {
    return sum((x - detach(mean<0>(x))) / detach(sqrt(mean<0>((x - mean<0>(x)) * (x - mean<0>(x))))) * k);
  };
  tensor<double, shape<4, 1>> const x{{1}, {2}, {3}, {4}}, k{{1}, {0}, {0}, {2}};
  tensor<double, shape<4, 1>> const through = esp::grad<0>(weighted)(x, k), without = esp::grad<0>(held)(x, k);
  good = good && esp::math::abs(sum_of(through)) < 1e-12 && sum_of(without) > 2.6;
  // [/gradient]

  // [single]
  // One value for a channel is its own mean. The result is 0 for any value, so there is nothing to learn from.
  static_assert(evaluate(normalize<0>(tensor<double, shape<1, 3>>{{5, -2, 100}}, 1e-5)) ==
                tensor<double, shape<1, 3>>{{0, 0, 0}});
  // [/single]

  // [pairs]
  // A batch of two keeps only the information which of the two values is larger.
  static_assert(evaluate(normalize<0>(tensor<double, shape<2, 2>>{{1, 7}, {1000, 6}}, 0.0)) ==
                tensor<double, shape<2, 2>>{{-1, 1}, {1, -1}});
  // [/pairs]

  // [rows]
  // LayerNorm: a row has the same result alone and in any batch. BatchNorm: one outlier moves all other samples.
  constexpr tensor<double, shape<1, 3>> alone{{1, 2, 5}};
  constexpr tensor<double, shape<2, 3>> accompanied{{1, 2, 5}, {900, -3, 0}};
  constexpr auto by_row = evaluate(normalize<1>(accompanied, 1e-5));
  constexpr auto by_itself = evaluate(normalize<1>(alone, 1e-5));
  static_assert(by_row(0, 0) == by_itself(0, 0) && by_row(0, 1) == by_itself(0, 1) && by_row(0, 2) == by_itself(0, 2));
  constexpr tensor<double, shape<4, 1>> usual{{1}, {2}, {3}, {4}}, strange{{1}, {2}, {3}, {400}};
  static_assert(all_close(evaluate(normalize<0>(usual, 0.0)),
                          tensor<double, shape<4, 1>>{{-1.3416}, {-0.4472}, {0.4472}, {1.3416}}, 0, 1e-4));
  static_assert(all_close(evaluate(normalize<0>(strange, 0.0)),
                          tensor<double, shape<4, 1>>{{-0.5831}, {-0.5774}, {-0.5716}, {1.7320}}, 0, 1e-4));
  // [/rows]

  // [huge]
  // The same row alone, and as the last of 4096 examples.
  esp::model<nn::LayerNorm1d<3>, esp::cpu, double> const layer_norm{esp::seed{0}};
  tensor<double, shape<4096, 3>> huge;
  nn::init::fill(nn::init::normal{}, huge.span(), {.seed = 4});
  for (int feature = 0; feature < 3; ++feature) huge(4095, feature) = alone(0, feature);
  tensor<double, shape<1, 3>> const small_result = layer_norm(alone);
  tensor<double, shape<4096, 3>> const huge_result = layer_norm(huge);
  for (int feature = 0; feature < 3; ++feature)
    good = good && near(huge_result(4095, feature), small_result(0, feature));
  // [/huge]

  // [spread]
  // How far the mean of a batch lies from that of the data (0 here), root mean square over many batches: 1 / sqrt(N).
  double const two = error_of_mean<2>(), thirty_two = error_of_mean<32>();
  std::printf("error of a batch's mean: %.3f for 2 samples, %.3f for 32\n", two, thirty_two);
  good = good && two > 0.65 && two < 0.77 && thirty_two > 0.16 && thirty_two < 0.20;
  // [/spread]

  std::printf("gradients through the statistics sum to %s, with the statistics held constant to %.3f\n",
              esp::math::abs(sum_of(through)) < 1e-12 ? "0" : "something else", sum_of(without));
  return good ? 0 : 1;
}
