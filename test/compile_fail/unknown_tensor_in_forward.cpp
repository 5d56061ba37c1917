// SPDX-License-Identifier: BSL-1.0
// expect: a formula uses a tensor whose elements are not compile-time constants
// expect: declare the tensor constexpr, pass it as an argument, or make it a buffer of the module
// expect: sound<Windowed
// lines: 12
// A tensor that a program fills when it runs is no constant of a net.
#include <espalier/model/predictor.hpp>
#include <espalier/nn/nn.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;

#ifdef SHOULD_FAIL
esp::tensor<float, esp::shape<8>> window{1, 2, 3, 4, 5, 6, 7, 8};
#else
inline constexpr esp::tensor<float, esp::shape<8>> window{1, 2, 3, 4, 5, 6, 7, 8};
#endif
struct Windowed {
  nn::Linear<8, 8> layer;
  ESPALIER_MODULE(Windowed, layer)
  constexpr auto forward(auto x) const { return layer(x * window); }
};

auto f(esp::model<Windowed> const& model, esp::tensor<float, esp::shape<4, 8>> const& x) { return model(x); }
