// SPDX-License-Identifier: BSL-1.0
// expect: predictor\(x..., y...\): expected a tensor for each input, then one for each result
// expect-early: tensors_of_a_call<2, 2, 3>
// expect-26: ; expected 2 inputs and 2 results, got 3 tensors
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

using Predictor = esp::predictor<esp::model<Cell>, esp::shapes<esp::batch<2, 8>, esp::batch<2, 4>>>;
void f(Predictor& predict, esp::tensor<float, esp::shape<2, 8>> const& x, esp::tensor<float, esp::shape<2, 4>>& h,
       esp::tensor<float, esp::shape<2>>& y) {
#ifdef SHOULD_FAIL
  predict(x, h, y);
#else
  predict(x, h, y, h);
#endif
}
