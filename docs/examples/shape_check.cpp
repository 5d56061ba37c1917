// SPDX-License-Identifier: BSL-1.0
// The compiler as the test: shapes, sizes, memory and even a gradient are facts of this program before it runs. -DREFUSE=1 to 7 shows how a
// wrong program is refused: one error, in a sentence, with the numbers.
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

#if defined(REFUSE)
[[maybe_unused]] static esp::tensor<float, esp::shape<8, 13>> a;
[[maybe_unused]] static esp::tensor<float, esp::shape<12, 16>> b;
[[maybe_unused]] static esp::tensor<float, esp::shape<64, 1>> column;
[[maybe_unused]] static esp::tensor<float, esp::shape<64>> row;
#if REFUSE == 1
// A layer that does not take what the one before it gives.
using Broken = nn::Sequential<nn::Flatten, nn::Linear<64, 32>, nn::ReLU, nn::Linear<16, 10>>;
constexpr auto scores = esp::output_shape<Broken, esp::shape<32, 8, 8>>;
#elif REFUSE == 2
// Pictures of another size.
constexpr auto scores = esp::output_shape<Classifier, esp::shape<32, 9, 9>>;
#elif REFUSE == 3
auto c = matmul(a, b);
#elif REFUSE == 4
// NumPy would make this (64, 64).
auto c = column + row;
#elif REFUSE == 5
auto c = reshape<5, -1>(a);
#elif REFUSE == 6
auto c = sum<2>(a);
#elif REFUSE == 7
// A member that ESPALIER_MODULE does not name would never be trained.
struct Forgetful {
  nn::Linear<4, 4> first, second;
  ESPALIER_MODULE(Forgetful, first)
  constexpr auto forward(auto x) const { return second(first(x)); }
};
constexpr auto count = esp::parameter_count<Forgetful>;
#endif
#endif

int main() {
  std::printf("%d parameters, %d bytes of workspace\n", static_cast<int>(esp::parameter_count<Classifier>),
              static_cast<int>(plan.workspace_bytes));
}
