// SPDX-License-Identifier: BSL-1.0
// expect: options have names: write nn::LSTM<in, hidden, nn::lstm\{.layers = 2\}>
#include <espalier.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;

#ifdef SHOULD_FAIL
using Net = nn::Sequential<nn::LastOutput<nn::LSTM<3, 8, 2, true>>, nn::ReLU>;
#else
using Net = nn::Sequential<nn::LastOutput<nn::LSTM<3, 8, nn::lstm{.layers = 2, .bidirectional = true}>>, nn::ReLU>;
#endif
esp::model<Net> net{esp::seed{1}};
