// SPDX-License-Identifier: BSL-1.0
// expect: quantized\{model, ranges, batch, bytes\}: the bytes are fewer than quantized::bytes
// expect-early: enough_bytes<64
#include <espalier/model/quantized.hpp>
#include <espalier/nn/nn.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;
using Net = nn::Sequential<nn::Flatten, nn::Linear<64, 10>>;

#ifdef SHOULD_FAIL
esp::bytes<64> room;
#else
esp::bytes<32768> room;
#endif

void f(esp::model<Net>& model, esp::activation_ranges<1> const& ranges) {
  esp::quantized classify{model, ranges, esp::batch<32, 8, 8>{}, room};
}
