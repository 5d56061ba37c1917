// SPDX-License-Identifier: BSL-1.0
// Four layers and two residual connections, written out: a residual is a plus sign. Over layers 1 and 2 it adds the
// input, over layers 3 and 4 what layer 2 gave.
#include <espalier.hpp>

#include <iostream>

namespace esp = espalier;
namespace nn = espalier::nn;

// [net]
template <int Width>
struct FourLayers {
  nn::Linear<Width, Width> layer1, layer2, layer3, layer4;
  ESPALIER_MODULE(FourLayers, layer1, layer2, layer3, layer4)

  constexpr auto forward(auto x) const {
    auto const two = layer2(relu(layer1(x))) + x;
    return layer4(relu(layer3(two))) + two;
  }
};

// The same net of ready-made parts: Residual<M> is M(x) + x. Its parameters have other names ("0.fn.2.weight" for
// "layer2.weight").
template <int Width>
using Half = nn::Residual<nn::Sequential<nn::Linear<Width, Width>, nn::ReLU, nn::Linear<Width, Width>>>;
template <int Width>
using FourLayersOfParts = nn::Sequential<Half<Width>, Half<Width>>;
// [/net]

static_assert(esp::output_shape<FourLayers<8>, esp::shape<3, 8>> == esp::shape<3, 8>{});
static_assert(esp::parameter_count<FourLayers<8>> == 4 * (8 * 8 + 8));
static_assert(esp::parameter_count<FourLayersOfParts<8>> == esp::parameter_count<FourLayers<8>>);

int main() {
  using input = esp::tensor<float, esp::shape<1, 4>>;
  input const x{{1, -2, 3, -4}};

  esp::model<FourLayers<4>> net{esp::seed{0}};
  esp::model<FourLayersOfParts<4>> same{esp::seed{0}};  // one seed, one order of draws: the same values
  std::cout << "x           " << x << "\nnet(x)      " << net(x) << "\nof parts    " << same(x) << '\n';

  // A block whose branch gives zero lets its input pass: that is how a deep residual net begins as a shallow one.
  for (auto const* name : {"layer2.weight", "layer2.bias", "layer4.weight", "layer4.bias"})
    for (float& value : net.parameter(name).span()) value = 0;
  input const passed = net(x);
  std::cout << "branches 0  " << passed << '\n';
  return passed == x && all_close(net(x), x, 0, 0) ? 0 : 1;
}
