// SPDX-License-Identifier: BSL-1.0
// expect: x = y: the operands of an op or a layer in y do not fit
// expect: inner_dimensions<(espalier::)?shape<4, 16>, (espalier::)?shape<8, 16> ?>
// lines: 12
#include <espalier.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;

struct Net {
  nn::Linear<8, 16> first;
  nn::Linear<16, 16> second;
  ESPALIER_MODULE(Net, first, second)
  constexpr auto forward(auto x) const {
    auto h = first(x);
#ifdef SHOULD_FAIL
    h = first(h);
    h += first(h);
#else
    h = second(h);
    h += second(h);
#endif
    return relu(h);
  }
};

// Asked for directly, so that the message need not say how model(x) came to it.
static_assert(sizeof(Net{}.forward(esp::traced<esp::shape<4, 8>>{})) > 0);

auto f(esp::model<Net> const& model, esp::tensor<float, esp::shape<4, 8>> const& x) { return model(x); }
