// SPDX-License-Identifier: BSL-1.0
// expect: BatchNorm cannot learn from one value per channel; train with larger batches, or write evaluate\(net, x\)
// lines: 10
#include <espalier.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;
using Net = nn::BatchNorm1d<8>;

#ifdef SHOULD_FAIL
constexpr int samples = 1;
#else
constexpr int samples = 2;
#endif

constexpr auto loss = [](auto const& net, auto x) { return sum(net(x)); };
float f(esp::model<Net>& model, esp::tensor<float, esp::shape<samples, 8>> const& x) {
  return esp::value_and_grad<0>(loss)(model, x).first;
}
