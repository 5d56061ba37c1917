// SPDX-License-Identifier: BSL-1.0
// expect: stream\(x, result\): the result is missing; it is written into a tensor<T, output_shape> or other memory of yours
#include <espalier.hpp>
#include <espalier/stream.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;
using Model = esp::model<nn::Linear<1, 1>>;

void f(Model const& model) {
  esp::stream effect{model, esp::batch<1, 1, 1>{}};
#ifdef SHOULD_FAIL
  effect(0.5f);
#else
  esp::tensor<float, esp::shape<1, 1, 1>> sample;
  effect(sample, sample);
#endif
}
