// SPDX-License-Identifier: BSL-1.0
// expect: the elements are float or double; copy\(model, other\) to a model<Net> and write that one
#include <espalier/io/onnx.hpp>
#include <espalier/nn/nn.hpp>
#include <espalier/simulated_cuda.hpp>

namespace esp = espalier;

#ifdef SHOULD_FAIL
using Element = esp::half;
#else
using Element = float;
#endif

void f(esp::model<esp::nn::Linear<3, 2>, esp::simulated_cuda, Element> const& model) {
  esp::io::write_onnx<esp::batch<2, 3>>("net.onnx", model);
}
