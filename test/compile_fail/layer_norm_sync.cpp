// SPDX-License-Identifier: BSL-1.0
// expect: nn::LayerNorm1d<Features, norm>: norm\{\.sync = true\} is for BatchNorm; the statistics of this layer are those of each sample
// lines: 10
#include <espalier/model/model.hpp>
#include <espalier/nn/nn.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;

// No statistic is over samples of another process.
#ifdef SHOULD_FAIL
esp::model<nn::LayerNorm1d<8, nn::norm{.sync = true}>> net;
#else
esp::model<nn::BatchNorm1d<8, nn::norm{.sync = true}>> net;
#endif
