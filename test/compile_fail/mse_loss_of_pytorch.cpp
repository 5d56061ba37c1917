// SPDX-License-Identifier: BSL-1.0
// expect: nn::MSELoss is nn::MeanSquaredError here: write nn::MeanSquaredError\{\}
// lines: 12
#include <espalier.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;

#ifdef SHOULD_FAIL
esp::model<nn::Linear<8, 2>> net{esp::seed{1}};
esp::trainer trainer{net, nn::MSELoss{}, esp::optim::Adam{}, esp::batch<4, 8>{}};
#else
esp::model<nn::Linear<8, 2>> net{esp::seed{1}};
esp::trainer trainer{net, nn::MeanSquaredError{}, esp::optim::Adam{}, esp::batch<4, 8>{}};
#endif
