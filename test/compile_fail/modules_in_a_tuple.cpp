// SPDX-License-Identifier: BSL-1.0
// expect: members of a module are parameters, buffers and modules; write std::array<M, N> for several
// expect: member_objects<Net
// lines: 12
#include <espalier.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;

#ifdef SHOULD_FAIL
struct Net {
  std::tuple<nn::Linear<4, 4>, nn::Linear<4, 4>> layers;
  ESPALIER_MODULE(Net, layers)
  constexpr auto forward(auto x) const { return relu(std::get<0>(layers)(x)); }
};
#else
struct Net {
  std::array<nn::Linear<4, 4>, 2> layers;
  ESPALIER_MODULE(Net, layers)
  constexpr auto forward(auto x) const { return relu(layers[0](x)); }
};
#endif

esp::model<Net> model;
void f() { esp::trainer train{model, nn::MeanSquaredError{}, esp::optim::Adam{}, esp::batch<8, 4>{}}; }
