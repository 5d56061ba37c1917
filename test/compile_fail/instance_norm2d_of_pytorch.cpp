// SPDX-License-Identifier: BSL-1.0
// expect: nn::InstanceNorm1d and nn::InstanceNorm2d are nn::InstanceNorm here
// lines: 12
#include <espalier.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;

#ifdef SHOULD_FAIL
esp::model<nn::InstanceNorm2d<8>> net{esp::seed{1}};
#else
esp::model<nn::InstanceNorm<8>> net{esp::seed{1}};
#endif
