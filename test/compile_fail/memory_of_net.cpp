// SPDX-License-Identifier: BSL-1.0
// expect: memory_of<X\.\.\.>: X must be a model, a trainer, a predictor, a frozen or quantized net, or a stream
// expect: states_memory<.*Sequential
// lines: 12
#include <espalier.hpp>
#include <espalier/model/memory_of.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;
using Net = nn::Sequential<nn::Linear<8, 10>>;

#ifdef SHOULD_FAIL
using Subject = Net;
#else
using Subject = esp::model<Net>;
#endif

static_assert(esp::memory_of<Subject>.ram_bytes < 100000);
