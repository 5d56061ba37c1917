// SPDX-License-Identifier: BSL-1.0
// expect: copy\(from, to\): the models are of two nets; copy their tensors by name
// expect-early: same_net<
#include <espalier/model/copy_model.hpp>
#include <espalier/nn/nn.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;
using From = nn::Sequential<nn::Linear<8, 4>>;
#ifdef SHOULD_FAIL
using To = nn::Sequential<nn::Linear<8, 4>, nn::ReLU>;
#else
using To = From;
#endif

void f(esp::model<From> const& from, esp::model<To>& to) { esp::copy(from, to); }
