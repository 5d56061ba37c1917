// SPDX-License-Identifier: BSL-1.0
// expect: value_and_grad\(model, loss\): the model is const, but this call changes it; pass a model that is not const, or model.clone\(\)
#include <espalier/model/trainer.hpp>
#include <espalier/nn/nn.hpp>
#include <espalier/optim/adam.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;
using Net = nn::Sequential<nn::Flatten, nn::Linear<64, 10>, nn::BatchNorm1d<10>>;
using Model = esp::model<Net>;

#ifdef SHOULD_FAIL
auto gradient_of(Model const& model) { return esp::value_and_grad(model, nn::SoftmaxLoss{}); }
#else
auto gradient_of(Model& model) { return esp::value_and_grad(model, nn::SoftmaxLoss{}); }
#endif
