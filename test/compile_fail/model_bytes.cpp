// SPDX-License-Identifier: BSL-1.0
// expect: model\{seed, bytes\}: the bytes are fewer than model::bytes
// expect-early: enough_bytes<2623
#include <espalier.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;
namespace optim = espalier::optim;
using Net = nn::Sequential<nn::Flatten, nn::Linear<64, 10>>;

#ifdef SHOULD_FAIL
esp::bytes<esp::model<Net>::bytes - 1> room;
#else
esp::bytes<esp::model<Net>::bytes> room;
#endif

void f() { esp::model<Net> model{esp::seed{0}, room}; }
