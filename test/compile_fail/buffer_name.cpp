// SPDX-License-Identifier: BSL-1.0
// expect: model.buffer<name>\(\): the net has no buffer of this name
// expect: names_a_buffer<.*tensor_name<9>\{\"1.weight\"\} ?>
// expect-early: 1.weight
#include <espalier/model/model.hpp>
#include <espalier/nn/nn.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;
using Net = nn::Sequential<nn::Flatten, nn::BatchNorm1d<8>>;

#ifdef SHOULD_FAIL
void f(esp::model<Net>& model) { model.buffer<"1.weight">().span()[0] = 1; }
#else
void f(esp::model<Net>& model) { model.buffer<"1.running_mean">().span()[0] = 1; }
#endif
