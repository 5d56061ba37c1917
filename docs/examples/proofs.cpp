// SPDX-License-Identifier: BSL-1.0
// What a compiler can be made to prove about a net. If this file compiles, all of it is true.
#include <espalier.hpp>
#include <espalier/model/gradient_agrees.hpp>

#include <cstdio>

namespace esp = espalier;
namespace nn = espalier::nn;

// [net]
// Two layers whose numbers are all given, so that you can compute everything on paper.
using Net = nn::Sequential<nn::Linear<2, 2>, nn::ReLU, nn::Linear<2, 2>>;
constexpr auto net = esp::constant_model<Net>{}
                         .with<"0.weight">({1, -1, 1, -1})
                         .with<"0.bias">({0, 1})
                         .with<"2.weight">({1, 2, 5, 7})
                         .with<"2.bias">({0, -3});
constexpr esp::tensor<float, esp::shape<1, 2>> input{{1, 2}};
constexpr esp::tensor<std::int32_t, esp::shape<1>> label{1};

// hidden 3 and -2; ReLU sets the second to 0
static_assert(net(input) == esp::tensor<float, esp::shape<1, 2>>{{3, 3}});

constexpr auto step = esp::value_and_grad(net, nn::SoftmaxLoss{})(input, label);
static_assert(esp::is_close(step.loss, 0.693147f));  // log 2: both scores are equal
// softmax minus one-hot
static_assert(step.gradients.get<"2.bias">()[0] == 0.5f && step.gradients.get<"2.bias">()[1] == -0.5f);
// [/net]

// [check]
// Your own formula: its gradient, made by the library, against a difference along one random direction.
struct energy {
  constexpr auto operator()(auto position, auto stiffness) const { return sum(stiffness * square(tanh(position))); }
};
constexpr esp::tensor<double, esp::shape<3>> position{0.1, -0.4, 0.9}, stiffness{1, 2, 3};
static_assert(esp::gradient_agrees(energy{})(position, stiffness));

// A whole net: all of its parameters, with its loss, normalisation and dropout in training.
using Larger = nn::Sequential<nn::Linear<3, 4>, nn::LayerNorm1d<4>, nn::Tanh, nn::Dropout<0.25>, nn::Linear<4, 2>>;
constexpr esp::constant_model<Larger, double> larger{esp::seed{1}};
constexpr esp::tensor<double, esp::shape<2, 3>> samples{{1, 2, -1}, {0, 1, 1}};
constexpr esp::tensor<std::int32_t, esp::shape<2>> classes{0, 1};
static_assert(esp::gradient_agrees(larger, nn::SoftmaxLoss{})(samples, classes));
// [/check]

// [facts]
using many = esp::batch<32, 3>;
static_assert(esp::output_shape<Larger, many> == esp::shape<32, 2>{});
static_assert(esp::parameter_count<Larger> == (3 * 4 + 4) + (4 + 4) + (4 * 2 + 2));
static_assert(esp::prediction_plan<Larger, many>.kernel_count <= 4);
static_assert(esp::training_plan<Larger, nn::SoftmaxLoss, esp::optim::Adam, many>.workspace_bytes <= 4096);
// [/facts]

int main() { std::printf("nothing is left to test\n"); }
