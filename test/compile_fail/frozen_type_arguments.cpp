// SPDX-License-Identifier: BSL-1.0
// expect: frozen: the arguments do not fit the types; write x\{model, Batch\{\}\} of these types
#include <espalier/model/frozen.hpp>
#include <espalier/model/model.hpp>
#include <espalier/nn/nn.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;

using Net = nn::Sequential<nn::Linear<8, 4>, nn::ReLU>;
using batch = esp::batch<16, 8>;

struct classifier {
#ifdef SHOULD_FAIL
  explicit classifier(esp::model<Net> const& model) : run{model} {}
#else
  explicit classifier(esp::model<Net> const& model) : run{model, batch{}} {}
#endif
  esp::frozen<esp::model<Net>, batch> run;
};
void f(esp::model<Net> const& model) { classifier run{model}; }
