// SPDX-License-Identifier: BSL-1.0
// expect: a value has no elements while its formula is traced: write where\(c, a, b\) for if
// lines: 12
#include <espalier.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;

struct block {
  nn::Linear<4, 2> first{};
  ESPALIER_MODULE(block, first)
#ifdef SHOULD_FAIL
  constexpr auto forward(auto x) const {
    auto y = first(x);
    if (sum(y) > 0) y = 2 * y;
    return y;
  }
#else
  constexpr auto forward(auto x) const {
    auto y = first(x);
    y = where(sum(y) > 0, 2 * y, y);
    return y;
  }
#endif
};
using Value = esp::traced<esp::shape<3, 4>>;  // a model calls forward with such a value
using Result = decltype(block{}.forward(Value{}));
