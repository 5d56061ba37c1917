// SPDX-License-Identifier: BSL-1.0
// expect: load a Keras model: the net has a layer without a form in Keras; define in_keras\(\) in it
// expect: layers_in_keras<
// expect-26: got LayerNorm1d<4>
#include <espalier/io/rtneural.hpp>
#include <espalier/nn/nn.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;
#ifdef SHOULD_FAIL
using Norm = nn::LayerNorm1d<4>;
#else
using Norm = nn::BatchNorm<4, -1>;
#endif

void f(esp::model<nn::Sequential<nn::Linear<1, 4>, Norm>>& model) { esp::io::load_rtneural("net.json", model); }
