// SPDX-License-Identifier: BSL-1.0
// expect: the loss does not accept this prediction and target
// expect: scalar_result<(espalier::)?shape<2, 4> ?>
// expect-early: shape<2, 4>
#include <espalier.hpp>
#include <espalier/report/explain.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;

using Net = nn::Linear<8, 4>;

#ifdef SHOULD_FAIL
std::string f() { return esp::explain<Net, nn::L1Loss<esp::reduce::none>, esp::optim::Adam, esp::batch<2, 8>>(); }
#else
std::string f() { return esp::explain<Net, nn::L1Loss<esp::reduce::sum>, esp::optim::Adam, esp::batch<2, 8>>(); }
#endif
