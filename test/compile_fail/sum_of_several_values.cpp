// SPDX-License-Identifier: BSL-1.0
// expect: a layer does not fit its input
// expect: op_takes_one_value<2>
// expect-26: an op takes one value, got 2; choose one by std::get<0>\(y\)
#include <espalier.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;

struct Net {
  nn::GRU<5, 5> gru;
  nn::Linear<5, 2> last;
  ESPALIER_MODULE(Net, gru, last)
  constexpr auto forward(auto x) const {
#ifdef SHOULD_FAIL
    return last(gru(x) + gru(x));
#else
    return last(std::get<0>(gru(x)) + x);
#endif
  }
};

auto f(esp::model<Net> const& model, esp::tensor<float, esp::shape<6, 2, 5>> const& x) { return model(x); }
