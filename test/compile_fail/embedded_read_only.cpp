// SPDX-License-Identifier: BSL-1.0
// expect: read_only_model<Net, Weights>: the header's weights belong to another net or to an earlier version of this one
// expect: tensor_in_header<(espalier::)?tensor_name<9>\{\"0.weight\"\}, (espalier::)?shape<2, 1> ?>
#include <espalier/model/embedded.hpp>
#include <espalier/model/frozen.hpp>
#include <espalier/nn/nn.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;
using Net = nn::Sequential<nn::Linear<2, 1>, nn::ReLU>;

struct weights {
  using value_type = float;
  static constexpr esp::embedded_tensor tensors[] = {
#ifdef SHOULD_FAIL
      {"0.w", esp::tensor_role::parameter, 0, 2, {2, 1}},
#else
      {"0.weight", esp::tensor_role::parameter, 0, 2, {2, 1}},
#endif
      {"0.bias", esp::tensor_role::parameter, 16, 2, {1, 1}},
  };
  alignas(64) static constexpr value_type numbers[32] = {1, 2};
};

esp::read_only_model<Net, weights> const kept;
auto f() { return esp::frozen{kept, esp::batch<1, 2>{}}; }
