// SPDX-License-Identifier: BSL-1.0
// expect: best_parameters<Model>: Model is the type of a model, esp::model<Net>
#include <espalier/model/best_parameters.hpp>
#include <espalier/nn/nn.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;

using Net = nn::Sequential<nn::Linear<8, 4>, nn::ReLU>;
#ifdef SHOULD_FAIL
using Best = esp::best_parameters<Net>;
#else
using Best = esp::best_parameters<esp::model<Net>>;
#endif
void f(esp::model<Net>& model) { Best best{model}; }
