// SPDX-License-Identifier: BSL-1.0
// expect: ESPALIER_MODULE must list every member of the module
// expect: listed_members<Forgetful, 2, 1>
// expect-early: Forgetful
#include <espalier.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;
namespace optim = espalier::optim;

#ifdef SHOULD_FAIL
struct Forgetful {
  nn::Linear<4, 4> first, second;
  ESPALIER_MODULE(Forgetful, first)
  constexpr auto forward(auto x) const { return second(first(x)); }
};
#else
struct Forgetful {
  nn::Linear<4, 4> first, second;
  ESPALIER_MODULE(Forgetful, first, second)
  constexpr auto forward(auto x) const { return second(first(x)); }
};
#endif

float f(esp::tensor<float, esp::shape<8, 4>> const& x, esp::tensor<float, esp::shape<8, 4>> const& y) {
  esp::model<Forgetful> model;
  esp::trainer train{model, nn::MeanSquaredError{}, optim::Adam{}, esp::batch<8, 4>{}};
  return train.step(x, y);
}
