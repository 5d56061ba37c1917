// SPDX-License-Identifier: BSL-1.0
// expect: integers of 8 bits are made of a model of float on this processor
// expect: quantizes_element<
#include <espalier/model/quantized.hpp>
#include <espalier/nn/nn.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;
using Net = nn::Sequential<nn::Flatten, nn::Linear<64, 10>>;

#ifdef SHOULD_FAIL
using Model = esp::model<Net, esp::cpu, esp::bfloat16>;
#else
using Model = esp::model<Net>;
#endif

void f(Model const& model, esp::activation_ranges<1> const& ranges) {
  esp::quantized classify{model, ranges, esp::batch<32, 8, 8>{}};
}
