// SPDX-License-Identifier: BSL-1.0
// expect: constant_model<Net, T>: T is float or double
// expect-early: int
#include <espalier/model/constant_model.hpp>
#include <espalier/nn/nn.hpp>

namespace nn = espalier::nn;

#ifdef SHOULD_FAIL
inline constexpr espalier::constant_model<nn::Linear<2, 2>, int> net{};
#else
inline constexpr espalier::constant_model<nn::Linear<2, 2>, double> net{};
#endif
