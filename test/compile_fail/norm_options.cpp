// SPDX-License-Identifier: BSL-1.0
// expect: options have names: write nn::BatchNorm1d<features, nn::norm\{.eps = 1e-3, .momentum = 0.1\}>
#include <espalier.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;

#ifdef SHOULD_FAIL
using Net = nn::Sequential<nn::BatchNorm1d<8, 1e-3, 0.2>, nn::ReLU>;
#else
using Net = nn::Sequential<nn::BatchNorm1d<8, nn::norm{.eps = 1e-3, .momentum = 0.2}>, nn::ReLU>;
#endif
esp::model<Net> net{esp::seed{1}};
