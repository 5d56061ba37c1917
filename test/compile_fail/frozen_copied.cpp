// SPDX-License-Identifier: BSL-1.0
// expect: a frozen net cannot be copied or moved: construct another one
#include <espalier/model/frozen.hpp>
#include <espalier/nn/nn.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;
using Model = esp::model<nn::Linear<4, 2>>;
using Batch = esp::batch<3, 4>;

#ifdef SHOULD_FAIL
void f(Model const&, esp::frozen<Model, Batch>& p) { esp::frozen another = p; }
#else
void f(Model const& model, esp::frozen<Model, Batch>&) { esp::frozen another{model, Batch{}}; }
#endif
