// SPDX-License-Identifier: BSL-1.0
// expect: a layer does not fit its input
// expect: sequence_input<4, .*shape<6, 2, 3>
// expect-early: GRU<4, 5
#include <espalier.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;

#ifdef SHOULD_FAIL
inline constexpr int features = 4;
#else
inline constexpr int features = 3;
#endif
struct Net {
  nn::GRU<features, 5> gru;
  nn::Linear<5, 2> last;
  ESPALIER_MODULE(Net, gru, last)
  constexpr auto forward(auto x) const { return last(std::get<0>(gru(x))); }
};

auto f(esp::model<Net> const& model, esp::tensor<float, esp::shape<6, 2, 3>> const& x) { return model(x); }
