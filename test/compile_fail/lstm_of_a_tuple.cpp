// SPDX-License-Identifier: BSL-1.0
// expect: a layer does not fit its input
// expect-early: operand_is_one_value<espalier::nn::LSTM<5, 4
// expect-26: takes one value, got 3; choose one by std::get<0>\(y\)
#include <espalier.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;

struct Net {
  nn::LSTM<3, 5> first;
  nn::LSTM<5, 4> second;
  ESPALIER_MODULE(Net, first, second)
  constexpr auto forward(auto x) const {
#ifdef SHOULD_FAIL
    auto const [y, state] = second(first(x));
#else
    auto const [y, state] = second(std::get<0>(first(x)));
#endif
    return y;
  }
};
auto f(esp::model<Net> const& model, esp::tensor<float, esp::shape<6, 2, 3>> const& x) { return model(x); }
