// SPDX-License-Identifier: BSL-1.0
// expect: the elements are in device memory: copy them with to_host\(span\), replace them with from_host\(span\)
// expect-early: host_reads<(espalier::)?simulated_cuda
#include <espalier/model/model.hpp>
#include <espalier/nn/nn.hpp>
#include <espalier/simulated_cuda.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;
using Net = nn::Sequential<nn::Flatten, nn::Linear<64, 10>>;

#ifdef SHOULD_FAIL
using Model = esp::model<Net, esp::simulated_cuda>;
#else
using Model = esp::model<Net>;
#endif

void f(Model& model) { model.parameter("1.weight").span()[0] = 1; }
