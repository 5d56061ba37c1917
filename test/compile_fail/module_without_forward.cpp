// SPDX-License-Identifier: BSL-1.0
// expect: a module has no `forward` for its inputs; write `constexpr auto forward\(auto x\) const`
// lines: 12
// expect: has_forward<Pair, (espalier::)?shape<8, 4> ?>
// expect-early: shape<8, 4>
// expect-early: Pair
// expect-26: ; Pair has no forward that accepts \(8, 4\), in Pair
#include <espalier/model/predictor.hpp>
#include <espalier/nn/nn.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;

#ifdef SHOULD_FAIL
struct Pair {
  nn::Linear<4, 4> first, second;
  ESPALIER_MODULE(Pair, first, second)
};
#else
struct Pair {
  nn::Linear<4, 4> first, second;
  ESPALIER_MODULE(Pair, first, second)
  constexpr auto forward(auto x) const { return second(first(x)); }
};
#endif

auto f(esp::model<Pair> const& model, esp::tensor<float, esp::shape<8, 4>> const& x) { return model(x); }
