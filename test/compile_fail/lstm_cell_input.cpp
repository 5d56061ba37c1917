// SPDX-License-Identifier: BSL-1.0
// expect: a layer does not fit its input
// expect: LSTMCell<8
// expect-early: cell_input<8
#include <espalier/model/predictor.hpp>
#include <espalier/nn/nn.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;

#ifdef SHOULD_FAIL
using Batch = esp::shape<2, 4>;
#else
using Batch = esp::shape<2, 8>;
#endif

auto f(esp::model<nn::LSTMCell<8, 6>> const& model, esp::tensor<float, Batch> const& x) { return model(x); }
