// SPDX-License-Identifier: BSL-1.0
// expect: stream\{model, block\}: the layers of attention look at more than 22 different numbers of earlier steps
#include <espalier/stream.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;
using esp::shape;

#ifdef SHOULD_FAIL
constexpr int layers = 23;
#else
constexpr int layers = 22;
#endif

// Attention to the last 2, 3, 4, ... steps, one after the other.
struct Net {
  ESPALIER_MODULE(Net)
  template <int Layer = 0>
  static constexpr auto from(auto x) {
    if constexpr (Layer == layers) {
      return x;
    } else {
      constexpr int T = esp::shape_of<decltype(x)>::template extent<1>();
      auto const query = esp::reshape<T, 1>(esp::column_index<shape<T>>{});
      auto const key = esp::column_index<shape<T, T>>{};
      auto const seen = (key <= query) * (key > query - (Layer + 2));
      auto const scores = where(seen, matmul(x, transpose(x)), -esp::math::infinity<double>);
      return from<Layer + 1>(matmul(esp::softmax<2>(scores), x));
    }
  }
  constexpr auto forward(auto x) const { return from(x); }
};

void f(esp::model<Net> const& model) {
  esp::stream effect{model, esp::batch<1, 4, 2>{}};
  effect.reset();
}
