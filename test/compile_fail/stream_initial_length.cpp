// SPDX-License-Identifier: BSL-1.0
// expect: stream\{model, block\}: the initial state of a loop depends on the input or its number of steps
#include <espalier/stream.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;

struct Decaying {
  esp::parameter<esp::shape<2>, nn::init::initialized_by<nn::init::normal{}>> first{};
  ESPALIER_MODULE(Decaying, first)
  constexpr auto forward(auto x) const {
    auto const step = [](auto const& sum, auto const& at) {
      auto const next = 0.9 * sum + at;
      return std::tuple{next, next};
    };
    [[maybe_unused]] constexpr int steps = esp::shape_of<decltype(x)>::value.at[1];
#ifdef SHOULD_FAIL
    auto const start = sum<1>(exp(esp::broadcast_to<1, steps, 2>(first) + 1));  // as many terms as there are steps
#else
    auto const start = esp::broadcast_to<1, 2>(exp(first));
#endif
    return esp::permute<1, 0, 2>(std::get<1>(esp::scan(step, start, esp::permute<1, 0, 2>(x))));
  }
};

void f(esp::model<Decaying> const& model) {
  esp::stream effect{model, esp::batch<1, 8, 2>{}};
  effect.reset();
}
