// SPDX-License-Identifier: BSL-1.0
// expect: stream\{model, block\}: a parameter or constant has a number for each step of the sequence
#include <espalier/stream.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;

/// An embedding of positions, whose table is as long as the sequence.
template <int Steps>
struct Positions {
  esp::parameter<esp::shape<Steps, 2>, nn::init::initialized_by<nn::init::normal{}>> table{};
  ESPALIER_MODULE(Positions, table)
  constexpr auto forward(auto x) const { return x + table; }
};

#ifdef SHOULD_FAIL
using Net = Positions<8224>;
#else
using Net = Positions<1>;
#endif

void f(esp::model<Net> const& model) {
  esp::stream effect{model, esp::batch<1, 8, 2>{}};
  effect.reset();
}
