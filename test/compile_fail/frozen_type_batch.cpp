// SPDX-License-Identifier: BSL-1.0
// expect: frozen<Model, Batch>: a batch is written esp::batch<N, ...>: its extents are template arguments
#include <espalier/model/frozen.hpp>
#include <espalier/model/model.hpp>
#include <espalier/nn/nn.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;

using Net = nn::Sequential<nn::Linear<8, 4>, nn::ReLU>;
using batch = esp::batch<16, 8>;
#ifdef SHOULD_FAIL
using Run = esp::frozen<esp::model<Net>, esp::tensor<float, batch>>;
#else
using Run = esp::frozen<esp::model<Net>, batch>;
#endif

struct classifier {
  explicit classifier(esp::model<Net> const& model) : run{model, batch{}} {}
  Run run;
};
