// SPDX-License-Identifier: BSL-1.0
// expect: a layer does not fit its input
// expect-early: operand_is_one_value<espalier::nn::LSTMCell<3, 5
// expect-26: takes one value, got 2
#include <espalier.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;

/// A cell takes x and then the state, a step the state and then x.
struct Net {
  nn::LSTMCell<3, 5> cell;
  ESPALIER_MODULE(Net, cell)
  constexpr auto forward(auto x) const {
    auto const zero = esp::zeros<esp::shape<2, 5>>(x);
#ifdef SHOULD_FAIL
    auto const [last, all] = esp::scan(cell, std::tuple{zero, zero}, x);
#else
    auto const step = [&](auto const& state, auto const& now) {
      auto const next = cell(now, state);
      return std::tuple{next, std::get<0>(next)};
    };
    auto const [last, all] = esp::scan(step, std::tuple{zero, zero}, x);
#endif
    return all;
  }
};
auto f(esp::model<Net> const& model, esp::tensor<float, esp::shape<6, 2, 3>> const& x) { return model(x); }
