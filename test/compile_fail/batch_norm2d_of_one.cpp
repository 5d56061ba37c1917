// SPDX-License-Identifier: BSL-1.0
// expect: BatchNorm cannot learn from one value per channel; train with larger batches
// expect-early: several_values_per_channel<.*shape<1, 3, 1, 1>
#include <espalier.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;
using Net = nn::Sequential<nn::BatchNorm2d<3, nn::norm{.untracked = true}>, nn::Flatten>;

#ifdef SHOULD_FAIL
using size = esp::batch<1, 3, 1, 1>;
#else
using size = esp::batch<1, 3, 1, 2>;
#endif

void f(esp::model<Net>& model) { esp::trainer train{model, nn::SoftmaxLoss{}, esp::optim::Adam{}, size{}}; }
