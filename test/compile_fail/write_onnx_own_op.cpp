// SPDX-License-Identifier: BSL-1.0
// expect: the net has an op that ONNX has no operation for; io::exports_formula<Op> writes one of yours by its formula
// expect: in_onnx<.*cube_
#include <espalier/io/onnx.hpp>
#include <espalier/nn/nn.hpp>

namespace esp = espalier;

struct cube_ {};
template <>
struct espalier::rule<cube_> : espalier::elementwise {
  static constexpr char const* name = "cube";
  template <class T>
  ESPALIER_HOST_DEVICE static constexpr T apply(T x) {
    return x * x * x;
  }
};
#ifndef SHOULD_FAIL
template <>
inline constexpr bool espalier::io::exports_formula<cube_> = true;
#endif

struct Net {
  ESPALIER_MODULE(Net)
  constexpr auto forward(auto x) const { return esp::apply<cube_>(x); }
};

void f(esp::model<Net> const& model) { esp::io::write_onnx<esp::batch<2, 3>>("net.onnx", model); }
