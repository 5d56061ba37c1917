// SPDX-License-Identifier: BSL-1.0
// expect: x = y would change the shape of x, which is part of its type; write auto z = y
// expect: shape<4, 8>
// expect: shape<4, 16>
// lines: 12
// What follows is no mistake of its own: what forward returns does not fit either, since x kept its shape.
#include <espalier.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;

struct Net {
  nn::Linear<8, 16> first;
  nn::Linear<16, 4> second;
  ESPALIER_MODULE(Net, first, second)
  constexpr auto forward(auto x) const {
#ifdef SHOULD_FAIL
    x = relu(first(x));
    return second(x);
#else
    auto h = relu(first(x));
    h = h * 2;
    auto y = second(h);
    return y;
#endif
  }
};

// Asked for directly, so that the message need not say how model(x) came to it.
static_assert(sizeof(Net{}.forward(esp::traced<esp::shape<4, 8>>{})) > 0);

auto f(esp::model<Net> const& model, esp::tensor<float, esp::shape<4, 8>> const& x) { return model(x); }
