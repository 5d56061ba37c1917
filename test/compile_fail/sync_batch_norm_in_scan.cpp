// SPDX-License-Identifier: BSL-1.0
// expect: scan\(step, state, xs\), repeat<N>\(step, state\): the step has a SyncBatchNorm, whose statistics are exchanged between processes
// lines: 12
#include <espalier.hpp>
#include <espalier/distributed.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;

constexpr nn::norm options{.untracked = true};

// Steps of a loop run within one kernel, and no exchange takes place there.
struct normalized_steps {
#ifdef SHOULD_FAIL
  nn::SyncBatchNorm<4, 1, options> norm;
#else
  nn::BatchNorm<4, 1, options> norm;
#endif
  ESPALIER_MODULE(normalized_steps, norm)

  constexpr auto forward(auto x) const {
    auto const step = [&](auto s, auto xt) {
      auto const next = tanh(s + norm(xt));
      return std::tuple{next, next};
    };
    return std::get<1>(esp::scan(step, esp::zeros<esp::shape<2, 4>>(x), x));
  }
};
auto train(esp::model<normalized_steps, esp::distributed<>>& model) {
  return esp::trainer{model, nn::MeanSquaredError{}, esp::optim::SGD<>{}, esp::batch<5, 2, 4>{}};
}
