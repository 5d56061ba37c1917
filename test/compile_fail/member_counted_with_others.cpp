// SPDX-License-Identifier: BSL-1.0
// expect: ESPALIER_MODULE must list every member of the module
// expect-early: listed_members<Inner, 2, 1>
#include <espalier/model/predictor.hpp>
#include <espalier/nn/nn.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;

#ifdef SHOULD_FAIL
struct Inner {
  nn::Linear<4, 4> first, second;
  ESPALIER_MODULE(Inner, first)
  constexpr auto forward(auto x) const { return second(first(x)); }
};
#else
struct Inner {
  nn::Linear<4, 4> first, second;
  ESPALIER_MODULE(Inner, first, second)
  constexpr auto forward(auto x) const { return second(first(x)); }
};
#endif

constexpr auto count = esp::parameter_count<nn::Sequential<nn::Linear<4, 4>, Inner>>;
