// SPDX-License-Identifier: BSL-1.0
// expect: the net is not a module; write ESPALIER_MODULE
// expect-early: is_net<
#include <espalier.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;
namespace optim = espalier::optim;
using Net = nn::Sequential<nn::Flatten, nn::Linear<64, 10>>;

#ifdef SHOULD_FAIL
using Model = esp::model<esp::tensor<float, esp::shape<3>>>;
#else
using Model = esp::model<Net>;
#endif

Model model;
