// SPDX-License-Identifier: BSL-1.0
// expect: ESPALIER_MODULE lists a name that is not a member of the module
// expect: declared_members<Forgetful>
// expect-early: Forgetful
// expect-26: not a member of the module; in Forgetful
#include <espalier/model/predictor.hpp>
#include <espalier/nn/nn.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;

#ifdef SHOULD_FAIL
struct Forgetful {
  nn::Linear<4, 4> first, second;
  ESPALIER_MODULE(Forgetful, first, secnd)
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
