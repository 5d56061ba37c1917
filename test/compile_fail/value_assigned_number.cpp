// SPDX-License-Identifier: BSL-1.0
// expect: x = number: a value keeps its shape; write auto z = zeros<S>\(x\) \+ number
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
    y = 2;
    return y;
  }
#else
  constexpr auto forward(auto x) const {
    auto y = first(x);
    y = esp::zeros<esp::shape<3, 2>>(x) + 2;
    return y;
  }
#endif
};
using Value = esp::traced<esp::shape<3, 4>>;  // a model calls forward with such a value
using Result = decltype(block{}.forward(Value{}));
