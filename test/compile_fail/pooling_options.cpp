// SPDX-License-Identifier: BSL-1.0
// expect: options have names: write nn::MaxPool2d<3, esp::pooling\{.stride = 2\}>
#include <espalier.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;

#ifdef SHOULD_FAIL
using Net = nn::Sequential<nn::MaxPool2d<3, 2>, nn::ReLU>;
#else
using Net = nn::Sequential<nn::MaxPool2d<3, esp::pooling{.stride = 2}>, nn::ReLU>;
#endif
esp::model<Net> net{esp::seed{1}};
