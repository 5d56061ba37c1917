// SPDX-License-Identifier: BSL-1.0
// expect: options have names: write nn::GRU<in, hidden, nn::gru\{.layers = 2\}>
#include <espalier.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;

#ifdef SHOULD_FAIL
using Net = nn::Sequential<nn::LastOutput<nn::GRU<3, 8, 2>>, nn::ReLU>;
#else
using Net = nn::Sequential<nn::LastOutput<nn::GRU<3, 8, nn::gru{.layers = 2}>>, nn::ReLU>;
#endif
esp::model<Net> net{esp::seed{1}};
