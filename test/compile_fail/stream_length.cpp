// SPDX-License-Identifier: BSL-1.0
// expect: stream\{model, block\}: the net computes with the number of steps of its input
#include <espalier/stream.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;

/// Adds to each feature how much of the sequence is over.
struct Net {
  nn::Linear<2, 3> features;
  ESPALIER_MODULE(Net, features)
  constexpr auto forward(auto x) const {
    constexpr int steps = esp::shape_of<decltype(x)>::value.at[1];
#ifdef SHOULD_FAIL
    constexpr double all = steps;
#else
    constexpr double all = 1000;
#endif
    return features(x) + esp::reshape<steps, 1>(esp::column_index<esp::shape<steps>>{}) / all;
  }
};

void f(esp::model<Net> const& model) {
  esp::stream effect{model, esp::batch<1, 8, 2>{}};
  effect.reset();
}
