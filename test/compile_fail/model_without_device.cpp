// SPDX-License-Identifier: BSL-1.0
// expect-early: model<Net, Device, T>: the device is the second template argument, before the element type; write model<Net, cpu, double>
// expect: is_a_device<double>
#include <espalier/model/trainer.hpp>
#include <espalier/nn/nn.hpp>
#include <espalier/optim/adam.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;

#ifdef SHOULD_FAIL
esp::model<nn::Linear<4, 3>, double> model;
#else
esp::model<nn::Linear<4, 3>, esp::cpu, double> model;
#endif
