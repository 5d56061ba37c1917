// SPDX-License-Identifier: BSL-1.0
// expect: BatchNorm cannot learn from one value per channel; train with larger batches
// expect-early: several_values_per_channel<.*shape<1, 8>
// expect-26: train with larger batches; the batch is \(1, 8\)
#include <espalier.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;
namespace optim = espalier::optim;
using Net = nn::Sequential<nn::Linear<8, 16>, nn::BatchNorm1d<16>>;

#ifdef SHOULD_FAIL
using size = esp::batch<1, 8>;
#else
using size = esp::batch<2, 8>;
#endif

void f(esp::model<Net>& model) { esp::trainer train{model, nn::SoftmaxLoss{}, optim::Adam{}, size{}}; }
