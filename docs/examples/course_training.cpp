// SPDX-License-Identifier: BSL-1.0
// The numbers of the course's pages 9, 11 and 12: why normalise, dropout, residuals.
#include <espalier.hpp>

#include <cstdio>

namespace esp = espalier;
namespace nn = espalier::nn;
namespace optim = espalier::optim;
using esp::shape, esp::tensor;

// [growth]
// Linear layers as they begin, one after the other, and the same with a LayerNorm after each.
using Plain = nn::Linear<32, 32, nn::no_bias>;
using Normed = nn::Sequential<Plain, nn::LayerNorm1d<32>>;
template <class Layer>
using Five = nn::Sequential<Layer, Layer, Layer, Layer, Layer>;
template <class Layer>
using Ten = nn::Sequential<Five<Layer>, Five<Layer>>;

/// Root mean square of what a fresh net makes of standard normal values.
template <class Net>
double scale_after() {
  esp::model<Net> model{esp::seed{0}};
  tensor<float, shape<64, 32>> x;
  nn::init::fill(nn::init::normal{}, x.span(), {.seed = 1});
  tensor<float, shape<64, 32>> const y = model(x);
  return esp::math::sqrt(static_cast<double>(evaluate(mean(y * y))));
}
// [/growth]

// [nets]
using PlainLayer = nn::Sequential<nn::Linear<32, 32>, nn::ReLU>;
using LayerNormed = nn::Sequential<nn::Linear<32, 32>, nn::LayerNorm1d<32>, nn::ReLU>;
using BatchNormed = nn::Sequential<nn::Linear<32, 32>, nn::BatchNorm1d<32>, nn::ReLU>;
template <class Layer>
using Classifier = nn::Sequential<Layer, Layer, Layer, Layer, Layer, Layer, nn::Linear<32, 4>>;

/// Mean loss over the last 20 of 400 steps: which of the first four inputs is largest? The inputs are twenty times too
/// large.
template <class Net>
double loss_after_training(double learning_rate) {
  esp::model<Net> model{esp::seed{0}};
  esp::trainer trainer{model, nn::SoftmaxLoss{}, optim::SGD<>{.learning_rate = learning_rate}, esp::batch<64, 32>{}};
  tensor<float, shape<64, 32>> x;
  tensor<std::int32_t, shape<64>> largest;
  double loss = 0;
  for (unsigned step = 0; step < 400; ++step) {
    nn::init::fill(nn::init::normal{.deviation = 20}, x.span(), {.seed = 1, .number = step});
    for (int i = 0; i < 64; ++i) {
      largest[i] = 0;
      for (int k = 1; k < 4; ++k)
        if (x(i, k) > x(i, largest[i])) largest[i] = k;
    }
    float const now = trainer.step(x, largest);
    if (step >= 380) loss += static_cast<double>(now) / 20;
  }
  return loss;
}
// [/nets]

// [dropout]
// A mask keeps each element with probability 1 - p; what is kept is divided by 1 - p. Of 1, 2, 3 with p = 1/4:
using three = tensor<double, shape<3>>;
constexpr three values{1, 2, 3};
static_assert(all_close(evaluate(dropout(values, three{1, 0, 1}, 0.25)), three{1 / 0.75, 0, 3 / 0.75}));

// The expectation over all eight masks, each with its probability, is what went in.
constexpr three expectation = [] {
  three sum{};
  for (int bits = 0; bits < 8; ++bits) {
    three mask{};
    double probability = 1;
    for (int i = 0; i < 3; ++i) {
      mask[i] = bits >> i & 1;
      probability *= mask[i] == 1 ? 0.75 : 0.25;
    }
    three const y = dropout(values, mask, 0.25);
    for (int i = 0; i < 3; ++i) sum[i] += probability * y[i];
  }
  return sum;
}();
static_assert(all_close(expectation, values));
// [/dropout]

// [mask]
// A mask is a comparison of uniform random numbers: u <= p is true with probability p.
constexpr double random_numbers[] = {0.71205573, 0.93946807, 0.10593425, 0.91094132, 0.61162896,
                                     0.19936763, 0.46150745, 0.47990843, 0.15801372};
constexpr bool expected[] = {false, false, true, false, false, true, true, true, true};
static_assert([] {
  for (int i = 0; i < 9; ++i)
    if (nn::init::bernoulli{.p = 0.5}.from_random(random_numbers[i]) != expected[i]) return false;
  return true;
}());
// [/mask]

// [deep]
// Sixteen sigmoid layers between a first and a last Linear: plain, and with x added to the result of each.
using SigmoidLayer = nn::Sequential<nn::Linear<16, 16>, nn::Sigmoid>;
template <class B>
using Sixteen = nn::Sequential<nn::Linear<16, 16>, B, B, B, B, B, B, B, B, B, B, B, B, B, B, B, B, nn::Linear<16, 4>>;
using DeepPlain = Sixteen<SigmoidLayer>;
using DeepResidual = Sixteen<nn::Residual<SigmoidLayer>>;

/// The norm of the first layer's gradient in a fresh net.
template <class Net>
double first_gradient() {
  esp::model<Net> model{esp::seed{0}};
  tensor<float, shape<32, 16>> x;
  nn::init::fill(nn::init::normal{}, x.span(), {.seed = 1});
  tensor<std::int32_t, shape<32>> labels;
  for (int i = 0; i < 32; ++i) labels[i] = i % 4;
  auto const [loss, gradients] = esp::value_and_grad(model, nn::SoftmaxLoss{})(x, labels);
  double squares = 0;
  for (float g : gradients.parameter("0.weight").span()) squares += static_cast<double>(g) * static_cast<double>(g);
  return esp::math::sqrt(squares);
}
// [/deep]

// [resnet]
// An image of 32 by 32 pixels becomes 10 scores. The residual pairs keep the shape, ConvBN blocks between them change
// it.
static_assert(esp::parameter_count<nn::ResNet9<10>> == 431'946);
static_assert(esp::output_shape<nn::ResNet9<10>, shape<8, 3, 32, 32>> == shape<8, 10>{});

template <int Stride>
using Branch = nn::Sequential<nn::ConvBN<16, 16, 3, nn::conv{.stride = Stride}>, nn::ConvBN<16, 16, 3>>;
static_assert(esp::output_shape<nn::Residual<Branch<1>>, shape<8, 16, 8, 8>> == shape<8, 16, 8, 8>{});
// cannot be added to (8,16,8,8)
static_assert(esp::output_shape<Branch<2>, shape<8, 16, 8, 8>> == shape<8, 16, 4, 4>{});
// [/resnet]

int main() {
  bool good = true;
  double const five = scale_after<Five<Plain>>(), ten = scale_after<Ten<Plain>>(), normed = scale_after<Ten<Normed>>();
  std::printf("scale after 5 layers %.1f, after 10 %.1f; after 10 with LayerNorm %.3f\n", five, ten, normed);
  good = good && five > 4 && five < 8 && ten > 20 && ten < 45 && normed > 0.99 && normed < 1.01;

  double const plain_slow = loss_after_training<Classifier<PlainLayer>>(0.03),
               layer_slow = loss_after_training<Classifier<LayerNormed>>(0.03),
               batch_slow = loss_after_training<Classifier<BatchNormed>>(0.03);
  std::printf("learning rate 0.03: loss %.2f plain, %.2f with LayerNorm, %.2f with BatchNorm\n", plain_slow, layer_slow,
              batch_slow);
  good = good && layer_slow < plain_slow && batch_slow < plain_slow + 0.1;
  double const plain_fast = loss_after_training<Classifier<PlainLayer>>(0.3),
               layer_fast = loss_after_training<Classifier<LayerNormed>>(0.3),
               batch_fast = loss_after_training<Classifier<BatchNormed>>(0.3);
  std::printf("learning rate 0.3: plain %s, %s with LayerNorm, %s with BatchNorm\n",
              plain_fast < 1.3 ? "as well" : "no better than guessing",
              // plain: not a number any more, in fact
              layer_fast < 0.4 ? "below 0.4" : "above 0.4", batch_fast < 0.4 ? "below 0.4" : "above 0.4");

  // [identity]
  // Evaluation passes x through; training keeps about 90 of 100 and divides by 0.9.
  esp::model<nn::Dropout<0.1>> dropped{esp::seed{0}};
  tensor<float, shape<32, 64>> ones, zeros;
  ones.fill(1);
  tensor<float, shape<32, 64>> const same = dropped(ones);
  good = good && same == ones;
  float const loss = esp::value_and_grad(dropped, nn::MeanSquaredError{})(ones, zeros).loss;  // kept / 0.9^2
  double const kept = static_cast<double>(loss) * 0.81;
  // [/identity]
  std::printf("kept by one mask of 2048 elements: %.3f\n", kept);
  good = good && kept > 0.88 && kept < 0.92;

  // [residual]
  // fn(x) + x: with fn = identity 2 x; with a branch of zeros x, as if the block were not there.
  using matrix = tensor<float, shape<3, 3>>;
  matrix const x{{1, 2, 3}, {4, 5, 6}, {7, 8, 9}};
  matrix const twice = esp::model<nn::Residual<nn::Identity>>{esp::seed{0}}(x);
  good = good && twice == matrix{{2, 4, 6}, {8, 10, 12}, {14, 16, 18}};
  esp::model<nn::Residual<nn::Linear<3, 3>>> block{esp::seed{0}};
  for (float& parameter : block.parameters()) parameter = 0;
  matrix const skipped = block(x);
  good = good && skipped == x;
  // [/residual]

  double const plain = first_gradient<DeepPlain>(), residual = first_gradient<DeepResidual>();
  std::printf("gradient of the first of 18 layers: %.1e plain, %.1f with residuals\n", plain, residual);
  good = good && plain > 1e-9 && plain < 3e-9 && residual > 1.4 && residual < 1.7;
  return good ? 0 : 1;
}
