// SPDX-License-Identifier: BSL-1.0
// lines: 12
// expect: copy\(other, model\) copies the numbers of a model to another one
#include <espalier/model/trainer.hpp>
#include <espalier/nn/nn.hpp>
#include <espalier/optim/adam.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;
using Net = nn::Sequential<nn::Flatten, nn::Linear<64, 10>>;
using Model = esp::model<Net>;

#ifdef SHOULD_FAIL
void f(Model& model, Model const& other) { model = other; }
#else
void f(Model& model, Model const& other) { esp::copy(other, model); }
#endif
