// SPDX-License-Identifier: BSL-1.0
// expect: ESPALIER_MODULE must list every member of the module
// expect-early: Forgetful
#include <espalier/model/parameter_count.hpp>
#include <espalier/nn/nn.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;
struct Forgetful {
  nn::Linear<4, 4> first, second;
#ifdef SHOULD_FAIL
  ESPALIER_MODULE(Forgetful, first)
#else
  ESPALIER_MODULE(Forgetful, first, second)
#endif
  constexpr auto forward(auto x) const { return second(first(x)); }
};

static_assert(esp::parameter_count<Forgetful> == 40);
