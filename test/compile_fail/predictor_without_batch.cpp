// SPDX-License-Identifier: BSL-1.0
// expect: predictor\{model, batch\}: a batch is written esp::batch<N, ...>\{\}: its extents are template arguments
#include <espalier/model/trainer.hpp>
#include <espalier/nn/nn.hpp>
#include <espalier/optim/adam.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;

using Model = esp::model<nn::Linear<4, 3>>;

#ifdef SHOULD_FAIL
void f(Model& model) { esp::predictor p{model}; }
#else
void f(Model& model) { esp::predictor p{model, esp::batch<8, 4>{}}; }
#endif
