// SPDX-License-Identifier: BSL-1.0
// expect: label_loss\{.label_smoothing = e\}: e must be in \[0, 1\)
// expect-early: NLLLoss
#include <espalier/nn/nn.hpp>

namespace nn = espalier::nn;

#ifdef SHOULD_FAIL
nn::NLLLoss<espalier::label_loss{.label_smoothing = 1}> loss;
#else
nn::NLLLoss<espalier::label_loss{.label_smoothing = 0.5}> loss;
#endif
