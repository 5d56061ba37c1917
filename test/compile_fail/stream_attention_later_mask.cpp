// SPDX-License-Identifier: BSL-1.0
// expect: stream\{model, block\}: a mask of attention lets steps look at those that come later
#include <espalier/stream.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;

/// Attention to the last four steps, and to Ahead steps that come later.
template <int Ahead>
struct Near {
  nn::Linear<8, 8> mixed{};
  ESPALIER_MODULE(Near, mixed)
  constexpr auto forward(auto x) const {
    constexpr int steps = esp::shape_of<decltype(x)>::template extent<1>();
    auto const key = esp::column_index<esp::shape<steps, steps>>{};
    auto const query = esp::reshape<steps, 1>(esp::column_index<esp::shape<steps>>{});
    auto const mask = (key <= query + Ahead) * (key > query - 4);
    auto const heads = esp::unsqueeze<1>(x);
    return mixed(esp::squeeze<1>(esp::scaled_dot_product_attention(heads, heads, heads, mask)));
  }
};

#ifdef SHOULD_FAIL
using Net = Near<1>;
#else
using Net = Near<0>;
#endif

void f(esp::model<Net> const& model) {
  esp::stream effect{model, esp::batch<1, 4, 8>{}};
  effect.reset();
}
