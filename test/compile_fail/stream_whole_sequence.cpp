// SPDX-License-Identifier: BSL-1.0
// expect: stream\{model, block\}: a step of a loop reads the whole sequence, also what comes later
#include <espalier/stream.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;

struct Compared {
  nn::Linear<2, 2> mixed{};
  ESPALIER_MODULE(Compared, mixed)
  constexpr auto forward(auto x) const {
    auto const y = mixed(x);
    auto const step = [&](auto const& sum, auto const& at) {
#ifdef SHOULD_FAIL
      auto const all = esp::reshape<-1, 2>(y);
      auto const next = matmul(softmax(matmul(sum, esp::transpose(all))), all) + at;
#else
      auto const next = 0.9 * sum + at;
#endif
      return std::tuple{next, next};
    };
    auto const start = esp::zeros<esp::shape<1, 2>>(x);
    return esp::permute<1, 0, 2>(std::get<1>(esp::scan(step, start, esp::permute<1, 0, 2>(y))));
  }
};

void f(esp::model<Compared> const& model) {
  esp::stream effect{model, esp::batch<1, 8, 2>{}};
  effect.reset();
}
