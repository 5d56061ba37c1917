// SPDX-License-Identifier: BSL-1.0
// What a formula may read beside its operands: constant tensors, and loops and functions that build formulas.
//   constants_and_loops [FILE]    with FILE, compares what it prints with that file
#include <espalier.hpp>

#include "support/recorded.hpp"

namespace esp = espalier;
namespace nn = espalier::nn;

// [constant]
/// A window of eight samples: the compiler knows its numbers, so they are part of the program.
constexpr esp::tensor<float, esp::shape<8>> window{0.04f, 0.19f, 0.55f, 0.95f, 0.95f, 0.55f, 0.19f, 0.04f};

struct Spectrum {
  nn::Linear<8, 3> bands;
  ESPALIER_MODULE(Spectrum, bands)

  constexpr auto forward(auto x) const {
    esp::tensor<float, esp::shape<3>> emphasis{};  // made by the compiler, while it traces the body
    for (int i = 0; i < 3; ++i) emphasis(i) = 1.0f + 0.5f * static_cast<float>(i);
    return bands(x * window) * emphasis;
  }
};
// [/constant]

// [loop]
/// Newton's method for the square root of a: a function that builds formulas. Its cost is linear in the steps.
constexpr auto square_root(auto const& a, int steps) {
  auto x = a + 1;
  for (int i = 0; i < steps; ++i) x = (x + a / x) / 2;
  return x;
}
struct length {
  constexpr auto operator()(auto v) const { return square_root(sum(v * v), 60); }
};
// [/loop]

int main(int count, char** words) {
  examples::recorded out;
  esp::model<Spectrum> model{esp::seed{0}};
  for (float& element : model.parameter<"bands.weight">().span()) element = 1;
  for (float& element : model.parameter<"bands.bias">().span()) element = 0;
  esp::tensor<float, esp::batch<1, 8>> const samples{{1, 1, 1, 1, 1, 1, 1, 1}};
  auto const bands = model(samples);
  out.print("bands %.2f %.2f %.2f\n", double{bands(0, 0)}, double{bands(0, 1)}, double{bands(0, 2)});
  auto const [value, gradient] = esp::value_and_grad(length{})(esp::tensor<double, esp::shape<2>>{3, 4});
  out.print("length %.6f, gradient %.6f %.6f\n", value, gradient(0), gradient(1));
  return out.finish(count, words);
}
