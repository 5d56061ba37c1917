// SPDX-License-Identifier: BSL-1.0
// What evaluation and training cost, as the compiler says it, against numbers worked by hand.
#define BOOST_TEST_MODULE model_plan_facts
#include <boost/test/unit_test.hpp>

#include "support/nets.hpp"

using namespace test;
using esp::batch, esp::shape;

namespace {

// One layer: x (4,2), W (2,3), b (3), y (4,3). The bias is added where the product is made.
constexpr auto const& one = esp::prediction_plan<nn::Linear<2, 3>, batch<4, 2>>;
static_assert(one.input_shape == shape<4, 2>{} && one.output_shape == shape<4, 3>{});
static_assert(one.parameter_count == 2 * 3 + 3);
static_assert(one.parameter_bytes == 64 + 64 && one.buffer_bytes == 0);  // each tensor at a multiple of 16 numbers
static_assert(one.kernel_count == 1);
static_assert(one.flops == 2 * (4 * 3) * 2 + 12);
static_assert(one.bytes_moved == 4 * (8 + 6 + 3 + 12));
static_assert(one.workspace_bytes == 0 && one.peak_live_bytes == 0);

// Two: the hidden values (4,3) are written and read; nothing else is needed between the layers.
using Perceptron = nn::Sequential<nn::Linear<2, 3>, nn::ReLU, nn::Linear<3, 1>>;
constexpr auto const& two = esp::prediction_plan<Perceptron, batch<4, 2>>;
static_assert(two.output_shape == shape<4, 1>{} && two.parameter_count == 9 + 4 && two.parameter_bytes == 4 * 64);
static_assert(two.kernel_count == 2);
static_assert(two.flops == (48 + 12 + 12) + (2 * 4 * 3 + 4));
static_assert(two.bytes_moved == 4 * ((8 + 6 + 3 + 12) + (12 + 3 + 1 + 4)));
static_assert(two.workspace_bytes == 64 && two.peak_live_bytes == 64);  // 12 numbers, rounded up to 16

// Numbers of double: the same counts, twice the bytes.
constexpr auto const& doubled = esp::prediction_plan<Perceptron, batch<4, 2>, double>;
static_assert(doubled.flops == two.flops && doubled.kernel_count == two.kernel_count &&
              doubled.parameter_count == two.parameter_count);
static_assert(doubled.workspace_bytes == 128 && doubled.peak_live_bytes == 128 &&
              doubled.bytes_moved == 2 * two.bytes_moved && doubled.parameter_bytes == 512);

// Running statistics: 1 / sqrt(variance + eps) weight for each of 3 channels takes 12 operations, (x - mean) factor +
// bias 3 for each of 12 numbers.
constexpr auto const& normed = esp::prediction_plan<nn::Sequential<nn::Linear<2, 3>, nn::BatchNorm1d<3>>, batch<4, 2>>;
static_assert(normed.buffer_bytes == 2 * 64 && normed.kernel_count == 2);
static_assert(normed.flops == one.flops + 4 * 3 + 3 * 12);
static_assert(normed.bytes_moved == one.bytes_moved + 4 * (12 + 4 * 3 + 12));
static_assert(normed.workspace_bytes == 64);

// Three hidden layers: two of their values are alive at once, and take turns. 8 x 16 numbers each.
using Deep = nn::Sequential<nn::Linear<4, 16>, nn::ReLU, nn::Linear<16, 16>, nn::ReLU, nn::Linear<16, 16>, nn::ReLU,
                            nn::Linear<16, 2>>;
constexpr auto const& deep = esp::prediction_plan<Deep, batch<8, 4>>;
static_assert(deep.kernel_count == 4 && deep.workspace_bytes == 2 * 4 * 8 * 16 &&
              deep.peak_live_bytes == 2 * 4 * 8 * 16);

// A predictor and its model say the same of themselves.
using predictor = esp::predictor<esp::model<Deep>, batch<8, 4>>;
static_assert(predictor::workspace_bytes == deep.workspace_bytes && predictor::kernel_count == deep.kernel_count &&
              predictor::bytes_moved == deep.bytes_moved);
static_assert(esp::model<Deep>::parameter_bytes == deep.parameter_bytes &&
              esp::model<Deep>::buffer_bytes == deep.buffer_bytes);

// A step of training: y = x W for x (4,2) and W (2,1), mean((y - t)^2), SGD.
constexpr auto const& step =
    esp::training_plan<nn::Linear<2, 1, nn::no_bias>, nn::MeanSquaredError, optim::SGD<>, batch<4, 2>>;
static_assert(step.parameter_count == 2 && step.parameter_bytes == 64 && step.gradient_bytes == 64 &&
              step.optimizer_bytes == 0);
// The product; differences, squares, their sum and its fourth part; the gradient of each, doubled; the gradient.
static_assert(step.flops == 2 * 4 * 2 + (4 + 4 + 4 + 1) + (4 + 4) + 2 * 2 * 4);
// One kernel for each product, one for the loss with its gradients, one for the update.
static_assert(step.kernel_count == 4);
// x, W -> y; y, t -> the loss, dy; x, dy -> dW. The update reads W and dW, rounded up to 16 numbers, learning rate and
// decay, and writes W.
static_assert(step.bytes_moved == 4 * ((8 + 2 + 4) + (4 + 4 + 1 + 4) + (8 + 4 + 2) + (16 + 16 + 2 + 16)));
static_assert(step.workspace_bytes == 64 + 64 && step.peak_live_bytes == 128);  // y and dy

}  // namespace

// All of it holds before the program runs; what is left is that it runs within what was said.
BOOST_AUTO_TEST_CASE(a_predictor_runs_in_the_bytes_of_the_plan) {
  static esp::bytes<deep.workspace_bytes> room;
  esp::model<Deep> const model{esp::seed{1}};
  esp::predictor in_storage{model, batch<8, 4>{}, room};
  esp::tensor<float, shape<8, 2>> scores;
  in_storage(floats<8, 4>(1), scores);
  BOOST_TEST(scores == model(floats<8, 4>(1)));
}
