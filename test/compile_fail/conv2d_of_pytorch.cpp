// SPDX-License-Identifier: BSL-1.0
// expect: nn::Conv2d is nn::Conv here: write nn::Conv<in, out, kernel>
// lines: 12
#include <espalier.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;

#ifdef SHOULD_FAIL
esp::model<nn::Sequential<nn::Conv2d<3, 8, 3>, nn::ReLU>> net{esp::seed{1}};
#else
esp::model<nn::Sequential<nn::Conv<3, 8, 3>, nn::ReLU>> net{esp::seed{1}};
#endif
