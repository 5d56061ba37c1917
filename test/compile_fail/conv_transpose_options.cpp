// SPDX-License-Identifier: BSL-1.0
// expect: options have names: write nn::ConvTranspose<in, out, kernel, nn::conv_transpose\{.stride = 2, .padding = 1\}>
#include <espalier.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;

#ifdef SHOULD_FAIL
using Net = nn::Sequential<nn::ConvTranspose<3, 8, 2, 2>, nn::ReLU>;
#else
using Net = nn::Sequential<nn::ConvTranspose<3, 8, 2, nn::conv_transpose{.stride = 2}>, nn::ReLU>;
#endif
esp::model<Net> net{esp::seed{1}};
