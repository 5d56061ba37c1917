// SPDX-License-Identifier: BSL-1.0
// expect: model<Net>: input_element of the net is std::int32_t, or left out for real numbers
// expect: input_is_supported<Words>
#include <espalier/model/predictor.hpp>
#include <espalier/nn/nn.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;

struct Words {
#ifdef SHOULD_FAIL
  using input_element = std::int64_t;
#else
  using input_element = std::int32_t;
#endif
  nn::Embedding<10, 4> table;
  ESPALIER_MODULE(Words, table)
  constexpr auto forward(auto i) const { return table(i); }
};

auto f(esp::model<Words> const& model, esp::tensor<std::int32_t, esp::shape<3>> const& i) { return model(i); }
