// SPDX-License-Identifier: BSL-1.0
// expect: a predictor cannot be copied or moved: construct another one
#include <espalier/model/predictor.hpp>
#include <espalier/nn/nn.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;
using Model = esp::model<nn::Linear<4, 2>>;
using Batch = esp::batch<3, 4>;

#ifdef SHOULD_FAIL
void f(Model const&, esp::predictor<Model, Batch>& p) { esp::predictor another = p; }
#else
void f(Model const& model, esp::predictor<Model, Batch>&) { esp::predictor another{model, Batch{}}; }
#endif
