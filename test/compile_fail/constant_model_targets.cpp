// SPDX-License-Identifier: BSL-1.0
// expect: targets must have the shape that the loss requires
// expect: shape_is<(espalier::)?shape<2>, (espalier::)?shape<1> ?>
// expect-early: shape<2>
// expect-early: shape<1>
#include <espalier/model/constant_model.hpp>
#include <espalier/nn/nn.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;
inline constexpr esp::constant_model<nn::Linear<2, 2>> net{};
inline constexpr esp::tensor<float, esp::shape<1, 2>> x{{1, 2}};

#ifdef SHOULD_FAIL
inline constexpr esp::tensor<std::int32_t, esp::shape<2>> y{0, 1};
inline constexpr auto step = esp::value_and_grad(net, nn::SoftmaxLoss{})(x, y);
#else
inline constexpr esp::tensor<std::int32_t, esp::shape<1>> y{0};
inline constexpr auto step = esp::value_and_grad(net, nn::SoftmaxLoss{})(x, y);
#endif
