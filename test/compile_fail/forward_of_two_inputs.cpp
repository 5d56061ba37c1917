// SPDX-License-Identifier: BSL-1.0
// expect: a module has no `forward` for its inputs; write `constexpr auto forward\(auto x\) const`, with `auto` for each input
// expect: has_forward<Net, (espalier::)?shape<8, 4> ?>
// expect-26: Net has no forward that accepts \(8, 4\)
// lines: 12
#include <espalier.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;

#ifdef SHOULD_FAIL
struct Net {
  nn::Linear<4, 4> a;
  ESPALIER_MODULE(Net, a)
  constexpr auto forward(auto x, auto y) const { return relu(a(x)) + y; }
};
#else
struct Net {
  nn::Linear<4, 4> a;
  ESPALIER_MODULE(Net, a)
  constexpr auto forward(auto x) const { return relu(a(x)); }
};
#endif

void f(esp::model<Net>& model) {
  esp::trainer train{model, nn::MeanSquaredError{}, esp::optim::Adam{}, esp::batch<8, 4>{}};
}
