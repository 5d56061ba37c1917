// SPDX-License-Identifier: BSL-1.0
// expect: integers of 8 bits are made of a model of float on this processor
// expect: quantizes_element<double>
#include <espalier/model/calibration.hpp>
#include <espalier/nn/nn.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;
using Net = nn::Sequential<nn::Flatten, nn::Linear<64, 10>>;

#ifdef SHOULD_FAIL
using Model = esp::model<Net, esp::cpu, double>;
#else
using Model = esp::model<Net>;
#endif

void f(Model const& model) { esp::calibration ranges{model, esp::batch<32, 8, 8>{}}; }
