// SPDX-License-Identifier: BSL-1.0
// expect: the groups of channels of a convolution are moved in front of the samples
// expect-early: sample_fault<.*, (espalier::)?permute_ ?>
#include <espalier/nn/nn.hpp>
#include <espalier/operation/operation.hpp>
#include <espalier/up_to.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;

// The three rows of 16 channels that a kernel reads have 3168 elements with 64 columns.
#ifdef SHOULD_FAIL
constexpr int columns = 2048;
#else
constexpr int columns = 64;
#endif
using Net = nn::Conv<16, 16, 3, nn::conv{.groups = 4}>;

void f(esp::model<Net> const& model) { esp::predictor predict{model, esp::batch<esp::up_to<4>, 16, 4, columns>{}}; }
