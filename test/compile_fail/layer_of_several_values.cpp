// SPDX-License-Identifier: BSL-1.0
// expect: a layer does not fit its input
// expect: operand_is_one_value<.*Linear<5, 2
// expect-26: Linear<5, 2> takes one value, got 2; choose one by std::get<0>\(y\)
#include <espalier.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;

struct Net {
  nn::GRU<3, 5> gru;
  nn::Linear<5, 2> last;
  ESPALIER_MODULE(Net, gru, last)
  constexpr auto forward(auto x) const {
#ifdef SHOULD_FAIL
    return last(gru(x));
#else
    return last(std::get<0>(gru(x)));
#endif
  }
};

auto f(esp::model<Net> const& model, esp::tensor<float, esp::shape<6, 2, 3>> const& x) { return model(x); }
