// SPDX-License-Identifier: BSL-1.0
// expect: trainer\{model, ...\}: the model is const, but this call changes it; pass a model that is not const, or model.clone\(\)
// expect-early: trained_fault<
#include <espalier/model/trainer.hpp>
#include <espalier/nn/nn.hpp>
#include <espalier/optim/adam.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;
using Net = nn::Sequential<nn::Flatten, nn::Linear<64, 10>>;
using Model = esp::model<Net>;

#ifdef SHOULD_FAIL
void f(Model const& model) { esp::trainer t{model, nn::SoftmaxLoss{}, esp::optim::Adam{}, esp::batch<32, 64>{}}; }
#else
void f(Model& model) { esp::trainer t{model, nn::SoftmaxLoss{}, esp::optim::Adam{}, esp::batch<32, 64>{}}; }
#endif
