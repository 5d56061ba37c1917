// SPDX-License-Identifier: BSL-1.0
// lines: 12
// expect: nothing follows the options of a layer: write all of them inside
#include <espalier.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;

#ifdef SHOULD_FAIL
using Net = nn::Sequential<nn::Conv<3, 8, 3, nn::conv{.stride = 2}, 1>, nn::ReLU>;
#else
using Net = nn::Sequential<nn::Conv<3, 8, 3, nn::conv{.stride = 2, .padding = 1}>, nn::ReLU>;
#endif
esp::model<Net> net{esp::seed{1}};
