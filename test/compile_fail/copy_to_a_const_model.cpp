// SPDX-License-Identifier: BSL-1.0
// expect: copy\(from, to\): the model is const, but this call changes it; pass a model that is not const, or model.clone\(\)
// expect-early: may_change<
#include <espalier/model/trainer.hpp>
#include <espalier/nn/nn.hpp>
#include <espalier/optim/adam.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;
using Net = nn::Sequential<nn::Flatten, nn::Linear<64, 10>>;
using Model = esp::model<Net>;

#ifdef SHOULD_FAIL
void f(Model const& from, Model const& to) { esp::copy(from, to); }
#else
void f(Model const& from, Model& to) { esp::copy(from, to); }
#endif
