// SPDX-License-Identifier: BSL-1.0
// expect: frozen\{model, batch, bytes\}: the bytes are fewer than frozen::bytes
// expect-early: enough_bytes<64
#include <espalier/model/frozen.hpp>
#include <espalier/nn/nn.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;
using Net = nn::Sequential<nn::Flatten, nn::Linear<64, 10>>;

#ifdef SHOULD_FAIL
esp::bytes<64> room;
#else
esp::bytes<8192> room;
#endif

void f(esp::model<Net>& model) { esp::frozen classify{model, esp::batch<32, 8, 8>{}, room}; }
