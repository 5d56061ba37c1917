// SPDX-License-Identifier: BSL-1.0
// expect: nn::MaxPool1d is nn::MaxPool2d here: write nn::MaxPool2d<esp::rows_columns\{1, 3\}> of unsqueeze<2>\(x\)
// lines: 12
#include <espalier.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;

#ifdef SHOULD_FAIL
nn::MaxPool1d<3> pool;
#else
nn::MaxPool2d<esp::rows_columns{1, 3}> pool;
#endif
