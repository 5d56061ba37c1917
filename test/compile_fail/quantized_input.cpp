// SPDX-License-Identifier: BSL-1.0
// expect: quantized\(x..., y...\): an input or a result has another shape
// expect: shape<16, 8, 8>
#include <espalier/model/quantized.hpp>
#include <espalier/nn/nn.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;
using Net = nn::Sequential<nn::Flatten, nn::Linear<64, 10>>;
#ifdef SHOULD_FAIL
using images = esp::shape<16, 8, 8>;
#else
using images = esp::shape<32, 8, 8>;
#endif

void f(esp::model<Net> const& model, esp::activation_ranges<1> const& ranges, esp::tensor<float, images> const& x,
       esp::tensor<float, esp::shape<32, 10>>& scores) {
  esp::quantized classify{model, ranges, esp::batch<32, 8, 8>{}};
  classify(x, scores);
}
