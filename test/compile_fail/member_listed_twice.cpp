// SPDX-License-Identifier: BSL-1.0
// expect: ESPALIER_MODULE lists a member twice; list each member once
// expect: distinct_members<Net>
// lines: 12
#include <espalier.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;

#ifdef SHOULD_FAIL
struct Net {
  nn::Linear<4, 4> a, b;
  ESPALIER_MODULE(Net, a, a)
  constexpr auto forward(auto x) const { return relu(a(x)); }
};
#else
struct Net {
  nn::Linear<4, 4> a, b;
  ESPALIER_MODULE(Net, a, b)
  constexpr auto forward(auto x) const { return relu(a(x)); }
};
#endif

esp::model<Net> model;
void f() { esp::trainer train{model, nn::MeanSquaredError{}, esp::optim::Adam{}, esp::batch<8, 4>{}}; }
