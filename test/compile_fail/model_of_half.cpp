// SPDX-License-Identifier: BSL-1.0
// expect: model<Net, cpu, half>: this processor only stores 16-bit numbers; model<Net, cuda, half> computes with them
// expect: only_stored_on
// expect-early: half
#include <espalier.hpp>
#include <espalier/simulated_cuda.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;
namespace optim = espalier::optim;
using Net = nn::Sequential<nn::Flatten, nn::Linear<64, 10>>;

#ifdef SHOULD_FAIL
using Model = esp::model<Net, esp::cpu, esp::half>;
#else
using Model = esp::model<Net, esp::simulated_cuda, esp::half>;
#endif

Model model;
