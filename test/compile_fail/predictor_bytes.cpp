// SPDX-License-Identifier: BSL-1.0
// expect: predictor\{model, batch, bytes\}: the bytes are fewer than predictor::bytes
// expect-early: enough_bytes<64
#include <espalier.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;
namespace optim = espalier::optim;
using Net = nn::Sequential<nn::Flatten, nn::Linear<64, 32>, nn::ReLU, nn::Linear<32, 10>>;

#ifdef SHOULD_FAIL
esp::bytes<64> room;
#else
esp::bytes<8192> room;
#endif

void f(esp::model<Net>& model) { esp::predictor classify{model, esp::batch<32, 8, 8>{}, room}; }
