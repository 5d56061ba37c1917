// SPDX-License-Identifier: BSL-1.0
// expect: maximum\(a, b\) for std::max, exp\(a\) for std::exp
// lines: 12
// The functions of <cmath> have overloads for three types of numbers.
#include <espalier.hpp>

#include <cmath>

namespace esp = espalier;
namespace nn = espalier::nn;

struct block {
  nn::Linear<4, 2> first{};
  ESPALIER_MODULE(block, first)
#ifdef SHOULD_FAIL
  constexpr auto forward(auto x) const { return std::sin(first(x)) + 1; }
#else
  constexpr auto forward(auto x) const { return sin(first(x)) + 1; }
#endif
};
using Value = esp::traced<esp::shape<3, 4>>;  // a model calls forward with such a value
using Result = decltype(block{}.forward(Value{}));
