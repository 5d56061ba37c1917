// SPDX-License-Identifier: BSL-1.0
// The compiler as the test: shapes, sizes, memory and even a gradient are facts of this program before it runs.
// Build it with -DREFUSE=1 … 7 to see how a wrong program is refused.
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

// A backward pass, run by the compiler.
constexpr auto slope = esp::grad([](auto x) { return sum(x * x); })(esp::tensor<float, esp::shape<3>>{1, 2, 3});
static_assert(slope == esp::tensor<float, esp::shape<3>>{2, 4, 6});

int main() {
  std::printf("%d parameters, %d bytes of workspace\n", static_cast<int>(esp::parameter_count<Classifier>),
              static_cast<int>(plan.workspace_bytes));
}
