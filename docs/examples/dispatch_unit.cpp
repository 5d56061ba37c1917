// SPDX-License-Identifier: BSL-1.0
// The part of dispatch.cpp that is compiled once for each instruction set, with its -m flags and -DUNIT=name of its
// namespace.
#include <espalier.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;

// [unit]
// A type that is this translation unit's own makes everything that is instantiated with it this unit's own. Kernels
// carry the instruction set in their type anyway; models, trainers and predictors do not, and a linker would keep one
// copy of theirs, from whichever unit it meets first.
namespace {
struct Net {
  nn::Linear<16, 32> fc1;
  nn::LayerNorm<esp::shape<32>> norm;
  nn::Linear<32, 4> fc2;
  ESPALIER_MODULE(Net, fc1, norm, fc2)

  constexpr auto forward(auto x) const { return softmax<1>(fc2(tanh(norm(fc1(x))))); }
};
}  // namespace

namespace UNIT {

/// 16 numbers in, 4 out. The only name that this unit gives away.
void scores(float const* in, float* out) {
  static esp::model<Net> const model{esp::seed{0}};
  static esp::predictor predict{model, esp::batch<1, 16>{}};
  predict(esp::view<float const, esp::shape<1, 16>>{in}, esp::view<float, esp::shape<1, 4>>{out});
}

}  // namespace UNIT
// [/unit]
