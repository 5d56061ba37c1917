// SPDX-License-Identifier: BSL-1.0
// The numbers of the course's page 8: two norms one after the other, and weight normalisation.
#include <espalier.hpp>

#include <cstdio>

namespace esp = espalier;
namespace nn = espalier::nn;
namespace optim = espalier::optim;
using esp::shape, esp::tensor;

// [order]
// Three examples of four features. BatchNorm normalises columns, LayerNorm rows.
constexpr tensor<double, shape<3, 4>> block{{1, 7, 2, 4}, {3, 1, 8, 5}, {2, 4, 5, 9}};
constexpr tensor<double, shape<3, 4>> batch_then_layer = evaluate(normalize<1>(normalize<0>(block, 0.0), 0.0));
constexpr tensor<double, shape<3, 4>> layer_then_batch = evaluate(normalize<0>(normalize<1>(block, 0.0), 0.0));

// The means of the second norm are 0, those of the first are no longer 0. So the order matters.
constexpr tensor<double, shape<3>> no_rows{};
constexpr tensor<double, shape<4>> no_columns{};
static_assert(all_close(evaluate(mean<1>(batch_then_layer)), no_rows) &&
              all_close(evaluate(mean<0>(layer_then_batch)), no_columns));
static_assert(all_close(evaluate(mean<0>(batch_then_layer)), tensor<double, shape<4>>{-0.093, -0.061, -0.093, 0.247}, 0,
                        0.001));
static_assert(all_close(evaluate(mean<1>(layer_then_batch)), tensor<double, shape<3>>{-0.257, 0.265, -0.008}, 0,
                        0.001));
// [/order]

using samples = tensor<double, shape<6, 5>>;
using scores = tensor<double, shape<6, 4>>;

double length(auto elements, int unit) {
  double squares = 0;
  for (int i = 0; i < 5; ++i) squares += elements[4 * i + unit] * elements[4 * i + unit];
  return esp::math::sqrt(squares);
}
bool near(double a, double b) { return esp::math::abs(a - b) < 1e-12; }

int main() {
  bool good = true;
  samples x;
  scores target;
  nn::init::fill(nn::init::normal{}, x.span(), {.seed = 1});
  nn::init::fill(nn::init::normal{}, target.span(), {.seed = 2});

  // [weight]
  // The parameter weight (5,4) becomes weight_v (5,4) and weight_g (1,4), a length for each of the four units.
  // The initial output is the same.
  using Plain = nn::Linear<5, 4, nn::no_bias>;
  using Normed = nn::WeightNorm<Plain>;
  static_assert(esp::parameter_count<Plain> == 20 && esp::parameter_count<Normed> == 20 + 4);
  esp::model<Plain, esp::cpu, double> plain{esp::seed{3}};
  esp::model<Normed, esp::cpu, double> normed{esp::seed{3}};
  good = good && all_close(normed(x), plain(x), 1e-12, 1e-12);

  // Only the direction of v matters. The length of the weights is g.
  scores const before = normed(x);
  for (double& v : normed.parameter("weight_v").span()) v *= 100;
  good = good && all_close(normed(x), before, 1e-12, 1e-12);
  for (double& g : normed.parameter("weight_g").span()) g *= 2;
  scores const doubled = before * 2;
  good = good && all_close(normed(x), doubled, 1e-12, 1e-12);
  // [/weight]

  // [step]
  // The gradient of v is orthogonal to v. So a step of gradient descent turns v, and lengthens it by Pythagoras.
  esp::model<Normed, esp::cpu, double> learning{esp::seed{3}};
  auto const v = learning.parameter("weight_v").span();
  auto const gradients = esp::value_and_grad(learning, nn::MeanSquaredError{})(x, target).gradients;
  auto const dv = gradients.parameter("weight_v").span();
  double lengths[4];
  for (int unit = 0; unit < 4; ++unit) {
    double product = 0;
    for (int i = 0; i < 5; ++i) product += v[4 * i + unit] * dv[4 * i + unit];
    good = good && near(product, 0) && length(dv, unit) > 0.01;
    lengths[unit] = length(v, unit);
  }
  esp::trainer trainer{learning, nn::MeanSquaredError{}, optim::SGD<>{.learning_rate = 0.5}, esp::batch<6, 5>{}};
  trainer.step(x, target);
  for (int unit = 0; unit < 4; ++unit) {
    double const step = 0.5 * length(dv, unit);
    good = good && near(length(v, unit), esp::math::sqrt(lengths[unit] * lengths[unit] + step * step)) &&
           length(v, unit) > lengths[unit];
  }

  // A v ten times as long has a gradient a tenth as long, so its direction changes more slowly.
  auto const near_gradients = esp::value_and_grad(learning, nn::MeanSquaredError{})(x, target).gradients;
  for (double& element : v) element *= 10;
  auto const far_gradients = esp::value_and_grad(learning, nn::MeanSquaredError{})(x, target).gradients;
  for (int unit = 0; unit < 4; ++unit)
    good = good && near(10 * length(far_gradients.parameter("weight_v").span(), unit),
                        length(near_gradients.parameter("weight_v").span(), unit));
  // [/step]
  std::printf("%s\n", good ? "all checks passed" : "WRONG");
  return good ? 0 : 1;
}
