// SPDX-License-Identifier: BSL-1.0
// expect: a `forward` cannot be run by the compiler; .* use only values that are known at compile time
// expect: forward_is_constexpr<Net>
// lines: 12
#include <espalier.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;

#ifdef SHOULD_FAIL
float scale = 2;
struct Net {
  nn::Linear<4, 4> a;
  ESPALIER_MODULE(Net, a)
  constexpr auto forward(auto x) const { return scale * relu(a(x)); }
};
#else
constexpr float scale = 2;
struct Net {
  nn::Linear<4, 4> a;
  ESPALIER_MODULE(Net, a)
  constexpr auto forward(auto x) const { return scale * relu(a(x)); }
};
#endif

void f(esp::model<Net>& model) {
  esp::trainer train{model, nn::MeanSquaredError{}, esp::optim::Adam{}, esp::batch<8, 4>{}};
}
