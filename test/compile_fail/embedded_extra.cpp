// SPDX-License-Identifier: BSL-1.0
// expect: model\{embedded<Weights>\}: the header's weights belong to another net or to an earlier version of this one
// expect-early: tensor_in_net<(espalier::)?tensor_name<15>\{\"1.running_mean\"\}, (espalier::)?shape<3> ?>
#include <espalier/model/embedded.hpp>
#include <espalier/nn/nn.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;
using Net = nn::Sequential<nn::Linear<2, 1>, nn::ReLU>;

struct weights {
  using value_type = float;
  static constexpr esp::embedded_tensor tensors[] = {
      {"0.weight", esp::tensor_role::parameter, 0, 2, {2, 1}},
      {"0.bias", esp::tensor_role::parameter, 16, 2, {1, 1}},
#ifdef SHOULD_FAIL
      {"1.running_mean", esp::tensor_role::buffer, 0, 1, {3}},
#endif
  };
  alignas(64) static constexpr value_type numbers[32] = {1, 2};
};

void f() { esp::model<Net> model{esp::embedded<weights>{}}; }
