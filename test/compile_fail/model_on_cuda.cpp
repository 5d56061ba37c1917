// SPDX-License-Identifier: BSL-1.0
// expect: include <espalier/cuda.hpp> for models on the graphics processor
// expect: (espalier::)?cuda
#include <espalier.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;
namespace optim = espalier::optim;
using Net = nn::Sequential<nn::Flatten, nn::Linear<64, 10>>;

#ifdef SHOULD_FAIL
using Model = esp::model<Net, esp::cuda>;
#else
using Model = esp::model<Net>;
#endif

Model model;
