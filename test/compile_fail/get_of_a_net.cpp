// SPDX-License-Identifier: BSL-1.0
// expect: grad
// expect: inner_dimensions<.*shape<2, 5>
#include <espalier.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;

struct Net {
  nn::Linear<3, 4> of_x;
  nn::Linear<4, 4> of_h;
  ESPALIER_MODULE(Net, of_x, of_h)
  constexpr auto forward(auto x, auto h) const {
    auto const next = tanh(of_x(x) + of_h(h));
    return std::tuple{next, next};
  }
};
#ifdef SHOULD_FAIL
using state = esp::shape<2, 5>;
#else
using state = esp::shape<2, 4>;
#endif
inline constexpr auto loss = [](auto net, auto x, auto h) { return sum(std::get<0>(net(x, h))); };

auto f(esp::model<Net> const& model, esp::tensor<float, esp::shape<2, 3>> const& x,
       esp::tensor<float, state> const& h) {
  return esp::grad<0>(loss)(model, x, h);
}
