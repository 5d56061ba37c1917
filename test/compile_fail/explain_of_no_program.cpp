// SPDX-License-Identifier: BSL-1.0
// expect: explain and draw_\*: the arguments are <Net, Batch>, <Net, Loss, Optimizer, Batch>, a predictor, a trainer, or a program definition
// expect-early: no_programs
// expect-early: SoftmaxLoss
#include <espalier.hpp>
#include <espalier/report/explain.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;

using Net = nn::Linear<8, 4>;

#ifdef SHOULD_FAIL
std::string f() { return esp::explain<Net, nn::SoftmaxLoss, esp::batch<2, 8>>(); }
#else
std::string f() { return esp::explain<Net, nn::SoftmaxLoss, esp::optim::Adam, esp::batch<2, 8>>(); }
#endif
