// SPDX-License-Identifier: BSL-1.0
// expect: load or restore a model: the model is const, but this call changes it; pass a model that is not const, or model.clone\(\)
// expect: may_change<
#include <espalier/io/checkpoint.hpp>
#include <espalier/nn/nn.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;
using Model = esp::model<nn::Linear<4, 2>>;

#ifdef SHOULD_FAIL
void f(esp::io::archive const& file, Model const& model) { esp::io::restore(file, model); }
#else
void f(esp::io::archive const& file, Model& model) { esp::io::restore(file, model); }
#endif
