// SPDX-License-Identifier: BSL-1.0
// expect: stream\{model, block\}: a loop runs over another axis than that of time
#include <espalier/stream.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;

#ifdef SHOULD_FAIL
inline constexpr int first = 2, second = 1;
#else
inline constexpr int first = 1, second = 2;
#endif
/// Sums along an axis of (signals, steps, features).
struct Net {
  ESPALIER_MODULE(Net)
  constexpr auto forward(auto x) const {
    auto const xs = esp::permute<first, 0, second>(x);
    constexpr auto s = esp::shape_of<decltype(xs)>::value;
    auto const step = [](auto const& sum, auto const& now) { return std::tuple{sum + now, sum + now}; };
    auto const all = std::get<1>(esp::scan(step, esp::zeros<esp::shape<s.at[1], s.at[2]>>(x), xs));
    return esp::permute < 1, first == 2 ? 2 : 0, first == 2 ? 0 : 2 > (all);
  }
};

void f(esp::model<Net> const& model) {
  esp::stream effect{model, esp::batch<1, 8, 2>{}};
  effect.reset();
}
