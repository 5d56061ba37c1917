// SPDX-License-Identifier: BSL-1.0
// The numbers of the course's pages 9, 11 and 12: why normalise, dropout, residuals.
#include <espalier.hpp>

#include <cstdio>

namespace esp = espalier;
namespace nn = espalier::nn;
namespace optim = espalier::optim;
using esp::shape, esp::tensor;

namespace linear {
// [linear]
// Two linear layers without an activation: (x A + a) B + b = x (A B) + (a B + b). That is one linear layer.
constexpr tensor<double, shape<2, 3>> x{{1, -2, 3}, {0, 4, -1}};
constexpr tensor<double, shape<3, 4>> A{{1, 2, 0, -1}, {3, 0, 1, 1}, {-2, 1, 1, 0}};
constexpr tensor<double, shape<4, 2>> B{{1, 0}, {2, -1}, {0, 3}, {1, 1}};
constexpr tensor<double, shape<4>> a{1, -1, 2, 0};
constexpr tensor<double, shape<2>> b{5, -3};
constexpr tensor<double, shape<2, 2>> two_layers = matmul(matmul(x, A) + a, B) + b;

constexpr tensor<double, shape<3, 2>> AB = matmul(A, B);
constexpr tensor<double, shape<2>> c = sum<0>(esp::reshape<4, 1>(a) * B) + b;  // a B + b
static_assert(two_layers == evaluate(matmul(x, AB) + c));

// With a ReLU between them they are more: one linear layer would give equal steps for x = -1, 0 and 1.
constexpr tensor<double, shape<3, 1>> line{{-1}, {0}, {1}};
constexpr tensor<double, shape<3, 1>> kink =
    matmul(relu(matmul(line, tensor<double, shape<1, 2>>{{1, -1}})), tensor<double, shape<2, 1>>{{1}, {1}});
static_assert(kink == tensor<double, shape<3, 1>>{{1}, {0}, {1}});  // |x|
// [/linear]
}  // namespace linear

// [growth]
// Ten fresh linear layers, one after the other, and the same with a LayerNorm after each.
using Plain = nn::Linear<32, 32, nn::no_bias>;
using Normed = nn::Sequential<Plain, nn::LayerNorm1d<32>>;
template <class Layer>
using Five = nn::Sequential<Layer, Layer, Layer, Layer, Layer>;
template <class Layer>
using Ten = nn::Sequential<Five<Layer>, Five<Layer>>;

/// Root mean square of the output of a fresh net, for standard normal inputs.
template <class Net, int Width = 32>
double scale_after() {
  esp::model<Net> model{esp::seed{0}};
  tensor<float, shape<64, Width>> x;
  nn::init::fill(nn::init::normal{}, x.span(), {.seed = 1});
  tensor<float, shape<64, Width>> const y = model(x);
  return esp::math::sqrt(static_cast<double>(evaluate(mean(y * y))));
}
// [/growth]

// [nets]
using PlainLayer = nn::Sequential<nn::Linear<32, 32>, nn::ReLU>;
using LayerNormed = nn::Sequential<nn::Linear<32, 32>, nn::LayerNorm1d<32>, nn::ReLU>;
using BatchNormed = nn::Sequential<nn::Linear<32, 32>, nn::BatchNorm1d<32>, nn::ReLU>;
template <class Layer>
using Classifier = nn::Sequential<Layer, Layer, Layer, Layer, Layer, Layer, nn::Linear<32, 4>>;

/// The task: which of the first four inputs is largest? Inputs have the deviation 20. Returns the mean loss over the
/// last 20 of 400 steps.
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
// A mask keeps each element with probability 1 - p. Kept elements are divided by 1 - p. Here p = 1/4:
using three = tensor<double, shape<3>>;
constexpr three values{1, 2, 3};
static_assert(all_close(evaluate(dropout(values, three{1, 0, 1}, 0.25)), three{1 / 0.75, 0, 3 / 0.75}));

// The expectation over all eight masks, each with its probability, is the input.
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

// [thinned]
// A net of two units, relu(1 d1 - 1 d2), with p = 1/2. The four masks are equally likely; kept units count twice.
constexpr double thinned[] = {0, 2, 0, 0};  // none, the first unit, the second unit, both
static_assert([] {
  for (int bits = 0; bits < 4; ++bits) {
    tensor<double, shape<2>> const mask{static_cast<double>(bits & 1), static_cast<double>(bits >> 1)};
    if (evaluate(relu(sum(dropout(tensor<double, shape<2>>{1, -1}, mask, 0.5)))) != thinned[bits]) return false;
  }
  return true;
}());
constexpr double mean_of_nets = (thinned[0] + thinned[1] + thinned[2] + thinned[3]) / 4;
constexpr double evaluated = evaluate(relu(sum(tensor<double, shape<2>>{1, -1})));
static_assert(mean_of_nets == 0.5 && evaluated == 0);
// [/thinned]

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
// Sixteen sigmoid layers between a first and a last Linear: plain, and with a residual connection around each.
using SigmoidLayer = nn::Sequential<nn::Linear<16, 16>, nn::Sigmoid>;
template <class B>
using Sixteen = nn::Sequential<nn::Linear<16, 16>, B, B, B, B, B, B, B, B, B, B, B, B, B, B, B, B, nn::Linear<16, 4>>;
using DeepPlain = Sixteen<SigmoidLayer>;
using DeepResidual = Sixteen<nn::Residual<SigmoidLayer>>;

/// The length of the gradient of the first layer's weight in a fresh net.
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

// [cost]
// The plan is made before any weight is known, so a block whose branch gives 0 costs as much as any other.
using Branch16 = nn::Sequential<nn::Linear<16, 16>, nn::ReLU, nn::Linear<16, 16>>;
constexpr auto with_block =
    esp::prediction_plan<nn::Sequential<nn::Residual<Branch16>, nn::Linear<16, 4>>, esp::batch<32, 16>>;
constexpr auto without_block = esp::prediction_plan<nn::Linear<16, 4>, esp::batch<32, 16>>;
static_assert(with_block.flops > 9 * without_block.flops);
// [/cost]

// [position]
// A transformer has two kinds of residual branches: attention, and a small net for each position, as here. The original
// normalises the sum, most newer ones the input of the branch.
using Position = nn::Sequential<nn::Linear<16, 64>, nn::ReLU, nn::Linear<64, 16>>;
using WithoutNorm = nn::Residual<Position>;                                    // x + F(x)
using PostNorm = nn::Sequential<nn::Residual<Position>, nn::LayerNorm1d<16>>;  // LN(x + F(x))
using PreNorm = nn::Residual<nn::Sequential<nn::LayerNorm1d<16>, Position>>;   // x + F(LN(x))
template <class B>
using Eight = nn::Sequential<B, B, B, B, B, B, B, B>;
template <class Blocks>
using Between = nn::Sequential<nn::Linear<16, 16>, Blocks, nn::Linear<16, 4>>;
// [/position]

// [resnet]
// An image of 32 by 32 pixels becomes 10 scores. Residual pairs keep the shape; ConvBN blocks between them change it.
static_assert(esp::parameter_count<nn::ResNet9<10>> == 431'946);
static_assert(esp::output_shape<nn::ResNet9<10>, shape<8, 3, 32, 32>> == shape<8, 10>{});

template <int Stride>
using Branch = nn::Sequential<nn::ConvBN<16, 16, 3, nn::conv{.stride = Stride}>, nn::ConvBN<16, 16, 3>>;
static_assert(esp::output_shape<nn::Residual<Branch<1>>, shape<8, 16, 8, 8>> == shape<8, 16, 8, 8>{});
// (8,16,4,4) cannot be added to (8,16,8,8)
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
  // Evaluation returns x. Training keeps about 90 of 100 elements and divides them by 0.9.
  esp::model<nn::Dropout<0.1>> dropped{esp::seed{0}};
  tensor<float, shape<32, 64>> ones, none;
  ones.fill(1);
  tensor<float, shape<32, 64>> const same = dropped(ones);
  good = good && same == ones;
  float const loss = esp::value_and_grad(dropped, nn::MeanSquaredError{})(ones, none).loss;  // kept / 0.9^2
  double const kept = static_cast<double>(loss) * 0.81;
  // [/identity]
  std::printf("kept by one mask of 2048 elements: %.3f\n", kept);
  good = good && kept > 0.88 && kept < 0.92;

  // [residual]
  // fn(x) + x is 2 x if fn is the identity, and x if fn gives zeros.
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

  double const unnormed = scale_after<Eight<WithoutNorm>, 16>(), post = scale_after<Eight<PostNorm>, 16>(),
               pre = scale_after<Eight<PreNorm>, 16>();
  std::printf("scale after 8 blocks: %.1f without norm, %.1f post-norm, %.1f pre-norm\n", unnormed, post, pre);
  double const unnormed_gradient = first_gradient<Between<Eight<WithoutNorm>>>(),
               post_gradient = first_gradient<Between<Eight<PostNorm>>>(),
               pre_gradient = first_gradient<Between<Eight<PreNorm>>>();
  std::printf("gradient of the layer before them: %.1f without norm, %.1f post-norm, %.1f pre-norm\n",
              unnormed_gradient, post_gradient, pre_gradient);
  return good ? 0 : 1;
}
