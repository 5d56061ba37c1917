// SPDX-License-Identifier: BSL-1.0
// expect: model\(x...\): an input has another element type than the net reads
// expect-early: input_element_is<1, double, float>
// expect-26: ; input 1: got double, expected float
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
using T = double;
#else
using T = float;
#endif

auto f(esp::model<Cell> const& model, esp::tensor<float, esp::shape<2, 8>> const& x,
       esp::tensor<T, esp::shape<2, 4>> const& h) {
  return model(x, h);
}
