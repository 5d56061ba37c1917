// SPDX-License-Identifier: BSL-1.0
// expect: a module must not have a base class; make the base a member and list it in ESPALIER_MODULE
// expect: without_base_class<Net>
// lines: 12
#include <espalier.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;

#ifdef SHOULD_FAIL
struct Net : nn::Linear<4, 4> {
  nn::Linear<4, 4> a;
  ESPALIER_MODULE(Net, a)
  constexpr auto forward(auto x) const { return a(nn::Linear<4, 4>::forward(x)); }
};
#else
struct Net {
  nn::Linear<4, 4> base;
  nn::Linear<4, 4> a;
  ESPALIER_MODULE(Net, base, a)
  constexpr auto forward(auto x) const { return a(base(x)); }
};
#endif

esp::model<Net> model;
void f() { esp::trainer train{model, nn::MeanSquaredError{}, esp::optim::Adam{}, esp::batch<8, 4>{}}; }
