// SPDX-License-Identifier: BSL-1.0
// expect: predictor<Model, Batch>: Model is the type of a model, esp::model<Net>; or write esp::predictor x\{model, ...\}
#include <espalier/model/predictor.hpp>
#include <espalier/model/model.hpp>
#include <espalier/nn/nn.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;

using Net = nn::Sequential<nn::Linear<8, 4>, nn::ReLU>;
using batch = esp::batch<16, 8>;
#ifdef SHOULD_FAIL
using Run = esp::predictor<Net, batch>;
#else
using Run = esp::predictor<esp::model<Net>, batch>;
#endif

struct classifier {
  explicit classifier(esp::model<Net> const& model) : run{model, batch{}} {}
  Run run;
};
