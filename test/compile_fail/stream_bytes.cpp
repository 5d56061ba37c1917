// SPDX-License-Identifier: BSL-1.0
// expect: stream\{model, block, bytes\}: the bytes are fewer than stream::bytes
// expect-early: enough_bytes<32
#include <espalier/stream.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;
using Model = esp::model<nn::Linear<4, 2>>;
using Block = esp::batch<1, 8, 4>;

void f(Model const& model) {
#ifdef SHOULD_FAIL
  static esp::bytes<32> room;
#else
  static esp::bytes<esp::stream<Model, Block>::bytes> room;
#endif
  esp::stream s{model, Block{}, room};
}
