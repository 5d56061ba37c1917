// SPDX-License-Identifier: BSL-1.0
// expect: a model is copied by model.clone\(\), and moved by std::move\(model\)
#include <espalier/model/trainer.hpp>
#include <espalier/nn/nn.hpp>
#include <espalier/optim/adam.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;
using Net = nn::Sequential<nn::Flatten, nn::Linear<64, 10>>;
using Model = esp::model<Net>;

#ifdef SHOULD_FAIL
Model copied(Model const& model) { return model; }
#else
Model copied(Model const& model) { return model.clone(); }
#endif
