// SPDX-License-Identifier: BSL-1.0
// expect: a layer does not fit its input
// expect: inner_dimensions<.*shape<6, 2, 3>
// expect-early: Linear<4, 4
#include <espalier.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;

#ifdef SHOULD_FAIL
inline constexpr int features = 4;
#else
inline constexpr int features = 3;
#endif
struct Net {
  nn::Linear<features, 4> first;
  nn::LSTM<4, 5> lstm;
  nn::LSTMCell<5, 5> cell;
  ESPALIER_MODULE(Net, first, lstm, cell)
  constexpr auto forward(auto x) const {
    auto const z = first(x);
    auto const [y, state] = lstm(z);
    auto const& [h, c] = state;
    auto const [all, last_h, last_c] = lstm(z, h, c);
    auto const [next_h, next_c] = cell(esp::squeeze<0>(last_h), esp::squeeze<0>(last_h), esp::squeeze<0>(last_c));
    return esp::sum(all) + next_h + next_c;
  }
};

auto f(esp::model<Net> const& model, esp::tensor<float, esp::shape<6, 2, 3>> const& x) { return model(x); }
