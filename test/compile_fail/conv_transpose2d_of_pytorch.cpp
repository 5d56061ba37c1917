// SPDX-License-Identifier: BSL-1.0
// expect: nn::ConvTranspose2d is nn::ConvTranspose here
// lines: 12
#include <espalier.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;

#ifdef SHOULD_FAIL
esp::model<nn::Sequential<nn::ConvTranspose2d<3, 8, 2>, nn::ReLU>> net{esp::seed{1}};
#else
esp::model<nn::Sequential<nn::ConvTranspose<3, 8, 2>, nn::ReLU>> net{esp::seed{1}};
#endif
