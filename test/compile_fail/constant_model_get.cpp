// SPDX-License-Identifier: BSL-1.0
// expect: get<name>\(\): the net has no tensor of this name
// expect: names_a_tensor<.*tensor_name<7>\{\"0.bais\"\}, .*nearest<.*tensor_name<7>\{\"0.bias\"\} ?> ?>
// expect-early: 0.bais
// expect-early: 0.bias
#include <espalier/model/constant_model.hpp>
#include <espalier/nn/nn.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;
using Net = nn::Sequential<nn::Linear<2, 2>, nn::ReLU>;

constexpr auto net = esp::constant_model<Net>{}.with<"0.bias">({1, 2});

#ifdef SHOULD_FAIL
static_assert(net.parameters.get<"0.bais">()[1] == 2);
#else
static_assert(net.parameters.get<"0.bias">()[1] == 2);
#endif
