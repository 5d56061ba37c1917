// SPDX-License-Identifier: BSL-1.0
// expect: memory_of<X\.\.\.>: the states of a sharded optimizer depend on the number of processes: trainer::bytes \+ trainer::optimizer_bytes\(processes, rank\)
// lines: 12
#include <espalier.hpp>
#include <espalier/distributed.hpp>

#include <espalier/model/memory_of.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;
namespace optim = espalier::optim;
using Net = nn::Linear<12, 2>;

using Model = esp::model<Net, esp::distributed<>>;
template <class Optimizer>
using Trainer = esp::trainer<Model, nn::SoftmaxLoss, Optimizer, esp::batch<4, 12>>;

#ifdef SHOULD_FAIL
static_assert(esp::memory_of<Trainer<optim::sharded<optim::Adam>>>.ram_bytes < 100000);
#else
static_assert(esp::memory_of<Trainer<optim::Adam>>.ram_bytes < 100000);
#endif
