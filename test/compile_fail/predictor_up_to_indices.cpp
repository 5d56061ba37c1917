// SPDX-License-Identifier: BSL-1.0
// expect: an operation of the net has no kernel that runs for some of the samples of a batch
// expect-early: sample_fault<.*, (espalier::)?index_gather_ ?>
#include <espalier/nn/nn.hpp>
#include <espalier/up_to.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;
using Net = nn::Sequential<nn::Embedding<100, 8>, nn::Flatten, nn::Linear<32, 4>>;

// Lookups of indices have kernels for fixed batches only.
#ifdef SHOULD_FAIL
using batch = esp::batch<esp::up_to<64>, 4>;
#else
using batch = esp::batch<64, 4>;
#endif
void f(esp::model<Net> const& model) { esp::predictor predict{model, batch{}}; }
