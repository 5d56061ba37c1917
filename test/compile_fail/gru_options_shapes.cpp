// SPDX-License-Identifier: BSL-1.0
// expect: options have names: write nn::GRU<in, hidden, nn::gru\{.layers = 2\}>
#include <espalier.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;

// The layer behind it has the features of both directions.
struct Net {
#ifdef SHOULD_FAIL
  nn::GRU<3, 8, true> recurrent;
#else
  nn::GRU<3, 8, nn::gru{.bidirectional = true}> recurrent;
#endif
  nn::Linear<16, 10> out;
  ESPALIER_MODULE(Net, recurrent, out)
  constexpr auto forward(auto x) const {
    auto const [y, h] = recurrent(x);
    return out(y);
  }
};

auto apply(esp::tensor<float, esp::shape<2, 5, 3>> const& x) {
  esp::model<Net> const net{esp::seed{1}};
  return net(x).span()[0];
}
