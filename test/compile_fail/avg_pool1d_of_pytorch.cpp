// SPDX-License-Identifier: BSL-1.0
// expect: nn::AvgPool1d is nn::AvgPool2d here: write nn::AvgPool2d<esp::rows_columns\{1, 3\}> of unsqueeze<2>\(x\)
// lines: 12
#include <espalier.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;

#ifdef SHOULD_FAIL
nn::AvgPool1d<3> pool;
#else
nn::AvgPool2d<esp::rows_columns{1, 3}> pool;
#endif
