// SPDX-License-Identifier: BSL-1.0
// expect: memory_of<X\.\.\.>: X has the memory of a device, which is neither flash nor ram of the processor
// lines: 12
#include <espalier.hpp>
#include <espalier/simulated_cuda.hpp>

#include <espalier/model/memory_of.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;
using Net = nn::Sequential<nn::Linear<8, 10>>;

#ifdef SHOULD_FAIL
using Model = esp::model<Net, esp::simulated_cuda>;
#else
using Model = esp::model<Net>;
#endif

static_assert(esp::memory_of<esp::predictor<Model, esp::batch<1, 8>>>.ram_bytes < 100000);
