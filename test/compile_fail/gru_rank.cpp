// SPDX-License-Identifier: BSL-1.0
// expect: a layer does not fit its input
// expect: GRU<8
// expect-early: sequence_input<8
#include <espalier/model/predictor.hpp>
#include <espalier/nn/nn.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;

#ifdef SHOULD_FAIL
using Net = nn::GRU<8, 6>;
#else
using Net = nn::GRUCell<8, 6>;
#endif

auto f(esp::model<Net> const& model, esp::tensor<float, esp::shape<2, 8>> const& x) { return model(x); }
