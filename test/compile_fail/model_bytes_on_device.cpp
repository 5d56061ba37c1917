// SPDX-License-Identifier: BSL-1.0
// expect: model\{seed, bytes\}: the bytes are in host memory; on a graphics processor this object allocates its own memory
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

esp::bytes<Model::bytes> room;
Model model{esp::seed{0}, room};
