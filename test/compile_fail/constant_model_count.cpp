// SPDX-License-Identifier: BSL-1.0
// expect: with<name>\(numbers\): the tensor has another number of elements
// expect: element_count<3, 4>
// expect-26: the tensor has another number of elements; got 3, needed 4
// expect-early: element_count<3, 4>
#include <espalier/model/constant_model.hpp>
#include <espalier/nn/nn.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;
using Net = nn::Sequential<nn::Linear<2, 2>, nn::ReLU>;

#ifdef SHOULD_FAIL
inline constexpr auto net = esp::constant_model<Net>{}.with<"0.weight">({1, 2, 3});
#else
inline constexpr auto net = esp::constant_model<Net>{}.with<"0.weight">({1, 2, 3, 4});
#endif
