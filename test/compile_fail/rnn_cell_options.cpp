// SPDX-License-Identifier: BSL-1.0
// expect: options have names: write nn::RNNCell<in, hidden, nn::rnn_cell\{.bias = false\}>
#include <espalier.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;

#ifdef SHOULD_FAIL
esp::model<nn::RNNCell<3, 8, false>> net{esp::seed{1}};
#else
esp::model<nn::RNNCell<3, 8, nn::rnn_cell{.bias = false}>> net{esp::seed{1}};
#endif
