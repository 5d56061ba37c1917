// SPDX-License-Identifier: BSL-1.0
// expect: a module must be an aggregate: a struct with public members
// expect: aggregate_module<Net>
// lines: 12
#include <espalier.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;

#ifdef SHOULD_FAIL
class Net {
  nn::Linear<4, 4> a;

 public:
  ESPALIER_MODULE(Net, a)
  constexpr auto forward(auto x) const { return relu(a(x)); }
};
#else
struct Net {
  nn::Linear<4, 4> a;
  ESPALIER_MODULE(Net, a)
  constexpr auto forward(auto x) const { return relu(a(x)); }
};
#endif

esp::model<Net> model;
void f() { esp::trainer train{model, nn::MeanSquaredError{}, esp::optim::Adam{}, esp::batch<8, 4>{}}; }
