// SPDX-License-Identifier: BSL-1.0
// expect: model\{embedded<Weights>, bytes\}: the bytes are fewer than model::bytes
// expect-early: enough_bytes<64
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
  };
  alignas(64) static constexpr value_type numbers[32] = {1, 2};
};

#ifdef SHOULD_FAIL
esp::bytes<64> room;
#else
esp::bytes<esp::model<Net>::bytes> room;
#endif
void f() { esp::model<Net> model{esp::embedded<weights>{}, room}; }
