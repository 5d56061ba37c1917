// SPDX-License-Identifier: BSL-1.0
// expect: a module got another number of inputs than its `forward` takes
// expect: forward_takes<Cell, 2, 1>
// expect-26: ; forward of Cell takes 2 inputs, got 1, in Cell
// lines: 12
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

auto f(esp::model<Cell> const& model, esp::tensor<float, esp::shape<2, 8>> const& x,
       [[maybe_unused]] esp::tensor<float, esp::shape<2, 4>> const& h) {
#ifdef SHOULD_FAIL
  return model(x);
#else
  return model(x, h);
#endif
}
