// SPDX-License-Identifier: BSL-1.0
// expect: a layer does not fit its input
// expect-early: step_count<int>
// expect-26: expected an argument of one std::int32_t
#include <espalier.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;

struct Net {
  nn::LSTM<3, 5> lstm;
  ESPALIER_MODULE(Net, lstm)
#ifdef SHOULD_FAIL
  constexpr auto forward(auto x) const {
    auto const [y, state] = lstm(x, 4);
    return y;
  }
#else
  constexpr auto forward(auto x) const {
    auto const [y, state] = lstm(esp::slice<0, 0, 4>(x));
    return y;
  }
#endif
};
auto f(esp::model<Net> const& model, esp::tensor<float, esp::shape<6, 2, 3>> const& x) { return model(x); }
