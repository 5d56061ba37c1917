// SPDX-License-Identifier: BSL-1.0
// expect: predictor\(x..., y...\): an input or a result has another shape than the one that this net was planned for
// expect-early: input_shape_is<1, (espalier::)?shape<2, 5>, (espalier::)?shape<2, 4> ?>
// expect-26: ; input 1: got \(2, 5\), expected \(2, 4\)
#include <espalier.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;

struct Cell {
  nn::Linear<8, 4> input;
  nn::Linear<4, 4> state;
  ESPALIER_MODULE(Cell, input, state)
  constexpr auto forward(auto x, auto h) const {
    auto const next = tanh(input(x) + state(h));
    return std::tuple{sum<1>(next), next};
  }
};
#ifdef SHOULD_FAIL
using H = esp::shape<2, 5>;
#else
using H = esp::shape<2, 4>;
#endif

using Predictor = esp::predictor<esp::model<Cell>, esp::shapes<esp::batch<2, 8>, esp::batch<2, 4>>>;
void f(Predictor& predict, esp::tensor<float, esp::shape<2, 8>> const& x, esp::tensor<float, H> const& h,
       esp::tensor<float, esp::shape<2>>& y, esp::tensor<float, esp::shape<2, 4>>& next) {
  predict(x, h, y, next);
}
