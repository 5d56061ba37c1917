// SPDX-License-Identifier: BSL-1.0
// expect: stream\{model, block\}: the initial state of a loop is not zeros
#include <espalier/stream.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;

/// A decaying sum of the steps so far.
struct Decaying {
  nn::Linear<2, 2> mixed{};
  ESPALIER_MODULE(Decaying, mixed)
  constexpr auto forward(auto x) const {
    auto const step = [](auto const& sum, auto const& at) {
      auto const next = 0.9 * sum + at;
      return std::tuple{next, next};
    };
#ifdef SHOULD_FAIL
    auto const start = esp::zeros<esp::shape<1, 2>>(x) + 1;
#else
    auto const start = esp::zeros<esp::shape<1, 2>>(x);
#endif
    return esp::permute<1, 0, 2>(std::get<1>(esp::scan(step, start, esp::permute<1, 0, 2>(mixed(x)))));
  }
};

void f(esp::model<Decaying> const& model) {
  esp::stream effect{model, esp::batch<1, 8, 2>{}};
  effect.reset();
}
