// SPDX-License-Identifier: BSL-1.0
// expect: model\{embedded<Weights>, bytes\}: the header's weights belong to another net or to an earlier version of this one
// expect-early: same_extents<(espalier::)?tensor_name<9>\{\"0.weight\"\}, (espalier::)?shape<2, 1>, (espalier::)?shape<1, 2> ?>
// expect-26: write the header again; 0\.weight is \(2, 1\) in the net, \(1, 2\) in the header
#include <espalier/model/embedded.hpp>
#include <espalier/nn/nn.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;
using Net = nn::Sequential<nn::Linear<2, 1>, nn::ReLU>;

struct weights {
  using value_type = float;
  static constexpr esp::embedded_tensor tensors[] = {
#ifdef SHOULD_FAIL
      {"0.weight", esp::tensor_role::parameter, 0, 2, {1, 2}},
#else
      {"0.weight", esp::tensor_role::parameter, 0, 2, {2, 1}},
#endif
      {"0.bias", esp::tensor_role::parameter, 16, 2, {1, 1}},
  };
  alignas(64) static constexpr value_type numbers[32] = {1, 2};
};

esp::bytes<esp::model<Net>::bytes> room;
void f() { esp::model<Net> model{esp::embedded<weights>{}, room}; }
