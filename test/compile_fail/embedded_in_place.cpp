// SPDX-License-Identifier: BSL-1.0
// expect: read_only_model<Net, Weights>: the header's weights belong to another net or to an earlier version of this one
// expect: numbers_in_place<(espalier::)?tensor_name<7>\{\"0.bias\"\}>
#include <espalier/model/embedded.hpp>
#include <espalier/model/predictor.hpp>
#include <espalier/nn/nn.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;
using Net = nn::Sequential<nn::Linear<2, 1>, nn::ReLU>;

struct weights {
  using value_type = float;
  static constexpr esp::embedded_tensor tensors[] = {
      {"0.weight", esp::tensor_role::parameter, 0, 2, {2, 1}},
#ifdef SHOULD_FAIL
      {"0.bias", esp::tensor_role::parameter, 2, 2, {1, 1}},
#else
      {"0.bias", esp::tensor_role::parameter, 16, 2, {1, 1}},
#endif
  };
  alignas(64) static constexpr value_type numbers[32] = {1, 2};
};

esp::read_only_model<Net, weights> const kept;
auto f() { return esp::predictor{kept, esp::batch<1, 2>{}}; }
