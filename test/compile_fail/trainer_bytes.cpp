// SPDX-License-Identifier: BSL-1.0
// expect: trainer\{bytes, \.\.\.\}: the bytes are fewer than trainer::bytes
// expect-early: enough_bytes<64
// expect-26: fewer than trainer::bytes; got 64 bytes, needed \d+
#include <espalier.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;
namespace optim = espalier::optim;
using Net = nn::Sequential<nn::Flatten, nn::Linear<64, 10>>;

#ifdef SHOULD_FAIL
esp::bytes<64> room;
#else
esp::bytes<65536> room;
#endif

void f(esp::model<Net>& model) {
  esp::trainer train{room, model, nn::SoftmaxLoss{}, optim::Adam{}, esp::batch<32, 8, 8>{}};
}
