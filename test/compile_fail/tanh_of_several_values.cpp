// SPDX-License-Identifier: BSL-1.0
// expect: a layer does not fit its input
// expect: op_takes_one_value<3>
// expect-26: an op takes one value, got 3; choose one by std::get<0>\(y\)
#include <espalier.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;

struct Net {
  nn::LSTM<5, 5> lstm;
  nn::Linear<5, 2> last;
  ESPALIER_MODULE(Net, lstm, last)
  constexpr auto forward(auto x) const {
#ifdef SHOULD_FAIL
    return last(tanh(lstm(x)));
#else
    return last(tanh(std::get<0>(lstm(x))));
#endif
  }
};

auto f(esp::model<Net> const& model, esp::tensor<float, esp::shape<6, 2, 5>> const& x) { return model(x); }
