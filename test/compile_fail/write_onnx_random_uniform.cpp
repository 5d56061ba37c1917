// SPDX-License-Identifier: BSL-1.0
// expect: the net has an op that ONNX has no operation for
// expect: in_onnx<.*random_uniform_
#include <espalier/io/onnx.hpp>
#include <espalier/nn/nn.hpp>

namespace esp = espalier;

struct Noise {
  esp::random_stream stream{};
  ESPALIER_MODULE(Noise, stream)
  constexpr auto forward(auto x) const {
#ifdef SHOULD_FAIL
    return x + esp::random_uniform<esp::shape<2, 3>>{stream};
#else
    return x + x;
#endif
  }
};

void f(esp::model<Noise> const& model) { esp::io::write_onnx<esp::batch<2, 3>>("net.onnx", model); }
