// SPDX-License-Identifier: BSL-1.0
// expect: nn::BCELoss is nn::BCEWithLogitsLoss here: it takes the scores, without a sigmoid before it
// lines: 12
#include <espalier.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;

#ifdef SHOULD_FAIL
nn::BCELoss loss;
#else
nn::BCEWithLogitsLoss loss;
#endif
