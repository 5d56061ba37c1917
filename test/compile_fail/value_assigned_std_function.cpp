// SPDX-License-Identifier: BSL-1.0
// expect: maximum\(a, b\) for std::max, exp\(a\) for std::exp
// lines: 12
// The result of std::tanh is a number; that it is assigned is no second error.
#include <espalier.hpp>

#include <cmath>

namespace esp = espalier;
namespace nn = espalier::nn;

struct block {
  nn::Linear<4, 2> first{};
  ESPALIER_MODULE(block, first)
#ifdef SHOULD_FAIL
  constexpr auto forward(auto x) const {
    auto y = first(x);
    y = std::tanh(y);
    return y;
  }
#else
  constexpr auto forward(auto x) const {
    auto y = first(x);
    y = tanh(y);
    return y;
  }
#endif
};
using Value = esp::traced<esp::shape<3, 4>>;  // a model calls forward with such a value
using Result = decltype(block{}.forward(Value{}));
