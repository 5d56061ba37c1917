// SPDX-License-Identifier: BSL-1.0
// expect: BatchNorm cannot learn from one value per channel
// expect: several_values_per_channel<.*shape<1, 8> ?>
// expect-early: shape<1, 8>
#include <espalier.hpp>
#include <espalier/report/explain.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;

using Net = nn::Sequential<nn::Linear<8, 4>, nn::BatchNorm1d<4>>;

#ifdef SHOULD_FAIL
std::string f() { return esp::explain<Net, nn::SoftmaxLoss, esp::optim::Adam, esp::batch<1, 8>>(); }
#else
std::string f() { return esp::explain<Net, nn::SoftmaxLoss, esp::optim::Adam, esp::batch<2, 8>>(); }
#endif
