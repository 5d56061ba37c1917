// SPDX-License-Identifier: BSL-1.0
// expect: best_parameters.restore\(model\): the model is const, but this call changes it; pass a model that is not const, or model.clone\(\)
// expect-early: may_change<
#include <espalier/model/trainer.hpp>
#include <espalier/nn/nn.hpp>
#include <espalier/optim/adam.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;
using Net = nn::Sequential<nn::Flatten, nn::Linear<64, 10>>;
using Model = esp::model<Net>;

#ifdef SHOULD_FAIL
void f(Model const& model) { esp::best_parameters<Model>{model}.restore(model); }
#else
void f(Model& model) { esp::best_parameters<Model>{model}.restore(model); }
#endif
