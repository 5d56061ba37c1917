// SPDX-License-Identifier: BSL-1.0
// expect: ESPALIER_MODULE must list every member of the module
// expect: listed_members<Forgetful, 2, 1>
// expect-early: Forgetful
// expect-26: every member of the module; Forgetful has 2 members, 1 listed
#include <espalier/model/predictor.hpp>
#include <espalier/nn/nn.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;

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

esp::model<Forgetful> model;
