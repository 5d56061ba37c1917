// SPDX-License-Identifier: BSL-1.0
// expect: `input_element` of a net of several inputs lists an element for each
// expect: input_elements_listed<Lookup, 3, 2>
// expect-26: ; input_element of Lookup lists 3 inputs, got 2
// lines: 12
#include <espalier.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;

struct Lookup {
#ifdef SHOULD_FAIL
  using input_element = std::tuple<float, std::int32_t, float>;
#else
  using input_element = std::tuple<float, std::int32_t>;
#endif
  nn::Embedding<7, 3> table;
  ESPALIER_MODULE(Lookup, table)
  constexpr auto forward(auto x, auto index) const { return x * table(index); }
};
void f(esp::model<Lookup> const& model) { esp::predictor predict{model, esp::batch<4, 3>{}, esp::batch<4>{}}; }
