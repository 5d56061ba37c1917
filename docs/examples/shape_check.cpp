// SPDX-License-Identifier: BSL-1.0
// The compiler as the test: shapes, sizes, memory and even a gradient are facts of this program before it runs.
// -DSHOW_ERROR=1 to 8 shows the error of a wrong program: one sentence, with the numbers.
#include <espalier.hpp>

#include <cstdio>

namespace esp = espalier;
namespace nn = espalier::nn;
namespace optim = espalier::optim;

using Classifier = nn::Sequential<nn::Flatten, nn::Linear<64, 32>, nn::ReLU, nn::LayerNorm1d<32>, nn::Linear<32, 10>>;

// What goes in and what comes out, for any batch.
static_assert(esp::output_shape<Classifier, esp::shape<32, 8, 8>> == esp::shape<32, 10>{});
static_assert(esp::output_shape<Classifier, esp::shape<1, 64>> == esp::shape<1, 10>{});

// How much there is to learn.
static_assert(esp::parameter_count<Classifier> == (64 * 32 + 32) + (32 + 32) + (32 * 10 + 10));

// What a training step needs beside the parameters: activations, adjoints and temporaries, in one piece of memory.
constexpr auto plan = esp::training_plan<Classifier, nn::SoftmaxLoss, optim::Adam, esp::batch<32, 8, 8>>;
static_assert(plan.workspace_bytes <= 32 * 1024);

// Models of the library, with the numbers of needle's course.
static_assert(esp::parameter_count<nn::ResidualBlock<15, 2>> == 111);
static_assert(esp::parameter_count<nn::ResidualBlock<784, 100, nn::use_layer_norm>> == 159'452);
static_assert(esp::parameter_count<nn::MLPResNet<150, 100, 5, 10, nn::use_layer_norm>> == 68'360);
static_assert(esp::parameter_count<nn::ResNet9<10>> == 431'946);
static_assert(esp::output_shape<nn::ResNet9<10>, esp::shape<128, 3, 32, 32>> == esp::shape<128, 10>{});

// A backward pass, run by the compiler.
constexpr auto gradient = esp::grad([](auto x) { return sum(x * x); })(esp::tensor<float, esp::shape<3>>{1, 2, 3});
static_assert(gradient == esp::tensor<float, esp::shape<3>>{2, 4, 6});

// a layer that does not take what the one before it gives; what is meant is layer 3 of 4, the Linear<16, 10>
#if SHOW_ERROR == 1
// says: a layer does not fit its input
// says: inner_dimensions<shape<32, 32>, shape<16, 10>>
using Broken = nn::Sequential<nn::Flatten, nn::Linear<64, 32>, nn::ReLU, nn::Linear<16, 10>>;
constexpr auto scores = esp::output_shape<Broken, esp::shape<32, 8, 8>>;

#elif SHOW_ERROR == 2  // pictures of another size
// says: a layer does not fit its input
// says: inner_dimensions<shape<32, 81>, shape<64, 32>>
constexpr auto scores = esp::output_shape<Classifier, esp::shape<32, 9, 9>>;

#elif SHOW_ERROR == 3
// says: matmul(a, b): columns of a must equal rows of b
// says: inner_dimensions<shape<8, 13>, shape<12, 16>>
auto product(esp::tensor<float, esp::shape<8, 13>> const& a, esp::tensor<float, esp::shape<12, 16>> const& b) {
  return matmul(a, b);
}

#elif SHOW_ERROR == 4  // NumPy would make this (64, 64); broadcast_to<esp::shape<64, 64>> broadcasts explicitly
// says: shapes must be equal, or all operands must broadcast to the shape of one of them
// says: same_or_broadcast<shape<64, 1>, shape<64>>
auto total(esp::tensor<float, esp::shape<64, 1>> const& column, esp::tensor<float, esp::shape<64>> const& row) {
  return column + row;
}

#elif SHOW_ERROR == 5
// says: the extents must multiply to the number of elements of x, with at most one -1
// says: same_element_count<shape<8, 13>, to<5, -1>>
auto folded(esp::tensor<float, esp::shape<8, 13>> const& x) { return reshape<5, -1>(x); }

#elif SHOW_ERROR == 6
// says: an axis does not exist in the shape, or is named twice
// says: axes_exist<shape<8, 13>, axes<2>>
auto summed(esp::tensor<float, esp::shape<8, 13>> const& x) { return sum<2>(x); }

#elif SHOW_ERROR == 7  // a member that is not listed would never be trained
// says: ESPALIER_MODULE must list every member of the module
// says: listed_members<Forgetful, 2, 1>
struct Forgetful {
  nn::Linear<4, 4> first, second;
  ESPALIER_MODULE(Forgetful, first)
  constexpr auto forward(auto x) const { return second(first(x)); }
};
constexpr auto count = esp::parameter_count<Forgetful>;

// the figure of ResNet9 in needle's course draws 32 -> 64 channels and then 32 -> 128; nn::ResNet9 has 64 -> 128 there
#elif SHOW_ERROR == 8
// says: a layer does not fit its input
// says: kernel_channels<channels<64>, kernel_inputs<32>, groups<1>, kernel_outputs<128>>
using AsDrawn =
    nn::Sequential<nn::ConvBN<32, 64, 3, nn::conv{.stride = 2}>, nn::ConvBN<32, 128, 3, nn::conv{.stride = 2}>>;
constexpr auto scores = esp::output_shape<AsDrawn, esp::shape<1, 32, 4, 4>>;
#endif

int main() {
  std::printf("%d parameters, %d bytes of workspace\n", static_cast<int>(esp::parameter_count<Classifier>),
              static_cast<int>(plan.workspace_bytes));
}
