// SPDX-License-Identifier: BSL-1.0
// expect: model<Net, Device, T>: T is float, double, half or bfloat16
// expect: real_number<int>
// expect-early: int>
#include <espalier.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;
namespace optim = espalier::optim;
using Net = nn::Sequential<nn::Flatten, nn::Linear<64, 10>>;

#ifdef SHOULD_FAIL
using Model = esp::model<Net, esp::cpu, int>;
#else
using Model = esp::model<Net, esp::cpu, double>;
#endif

Model model;
