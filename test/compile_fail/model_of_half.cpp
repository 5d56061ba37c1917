// SPDX-License-Identifier: BSL-1.0
// expect: model<Net, cpu, half>: the processor stores 16-bit numbers but does not compute with them; use model<Net, cuda, half>
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
