// SPDX-License-Identifier: BSL-1.0
// expect: options have names: write nn::Conv<in, out, kernel, nn::conv\{.stride = 2, .padding = 1\}>
#include <espalier.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;

#ifdef SHOULD_FAIL
using Net = nn::Sequential<nn::Conv<3, 8, 3, 2, 1>, nn::ReLU>;
#else
using Net = nn::Sequential<nn::Conv<3, 8, 3, nn::conv{.stride = 2, .padding = 1}>, nn::ReLU>;
#endif
esp::model<Net> net{esp::seed{1}};
