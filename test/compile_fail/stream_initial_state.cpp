// SPDX-License-Identifier: BSL-1.0
// expect: stream\{model, block\}: the initial state of a loop depends on the input or its number of steps; begin with zeros<S>\(x\), constants or parameters
// expect: at_parameter<.*mixed.weight
#include <espalier/stream.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;

/// A decaying sum of the steps so far.
struct Decaying {
  nn::Linear<2, 2> mixed{};
  esp::parameter<esp::shape<2>, nn::init::initialized_by<nn::init::normal{}>> first{};
  ESPALIER_MODULE(Decaying, mixed, first)
  constexpr auto forward(auto x) const {
    auto const step = [&](auto const& sum, auto const& at) {
      auto const next = 0.9 * sum + at;
      return std::tuple{next, mixed(next)};
    };
#ifdef SHOULD_FAIL
    auto const start = esp::squeeze<1>(esp::slice<1, 0, 1>(x)) + first;
#else
    auto const start = esp::zeros<esp::shape<1, 2>>(x) + tanh(first);
#endif
    return esp::permute<1, 0, 2>(std::get<1>(esp::scan(step, start, esp::permute<1, 0, 2>(x))));
  }
};

void f(esp::model<Decaying> const& model) {
  esp::stream effect{model, esp::batch<1, 8, 2>{}};
  effect.reset();
}
