// SPDX-License-Identifier: BSL-1.0
// expect: options have names: write nn::CrossEntropyLoss<esp::label_loss\{.label_smoothing = 0.1\}>
#include <espalier.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;

esp::model<nn::Linear<8, 3>> net{esp::seed{1}};
#ifdef SHOULD_FAIL
esp::trainer trainer{net, nn::CrossEntropyLoss<0.1>{}, esp::optim::Adam{}, esp::batch<4, 8>{}};
#else
esp::trainer trainer{net, nn::CrossEntropyLoss<esp::label_loss{.label_smoothing = 0.1}>{}, esp::optim::Adam{},
                     esp::batch<4, 8>{}};
#endif
