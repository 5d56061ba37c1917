// SPDX-License-Identifier: BSL-1.0
// expect: nn::GroupNorm<Groups, Channels>: the groups must divide the channels
// lines: 12
#include <espalier.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;

struct Net {
  nn::Linear<3, 4> first;
#ifdef SHOULD_FAIL
  nn::GroupNorm<3, 4> norm;
#else
  nn::GroupNorm<2, 4> norm;
#endif
  ESPALIER_MODULE(Net, first, norm)
  constexpr auto forward(auto x) const { return norm(first(x)); }
};
inline constexpr auto total = [](auto net, auto x) { return sum(net(x)); };
esp::model<Net> net;
esp::tensor<float, esp::shape<2, 3>> x;

auto const gradient = esp::grad<1>(total)(net, x);
