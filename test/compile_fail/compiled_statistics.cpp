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

void f(esp::model<Net>& model, esp::tensor<float, esp::shape<samples, 8>> const& x) {
  esp::compiled forward{[](auto& net, auto x) { return net(x); }, model, x};
}
