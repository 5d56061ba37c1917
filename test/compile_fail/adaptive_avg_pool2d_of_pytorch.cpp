// SPDX-License-Identifier: BSL-1.0
// expect: nn::AdaptiveAvgPool2d<1> is nn::GlobalAvgPool<> here
// lines: 12
#include <espalier.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;

#ifdef SHOULD_FAIL
using Net = nn::Sequential<nn::Conv<3, 8, 3>, nn::AdaptiveAvgPool2d<1>>;
#else
using Net = nn::Sequential<nn::Conv<3, 8, 3>, nn::GlobalAvgPool<>>;
#endif
