// SPDX-License-Identifier: BSL-1.0
// A composite of two operands with a closed form, which is the gradient of the first one only.
// lines: 10
// expect: the `pullback` of a composite is the gradient of its first operand, and the program differentiates another one
#include <espalier.hpp>

namespace esp = espalier;

struct product_ {};
template <>
struct espalier::rule<product_> : espalier::composite {
  static constexpr char const* name = "product";
  static constexpr int arity = 2;
  static constexpr auto expand(auto a, auto b, auto) { return a * b; }
#ifdef SHOULD_FAIL
  static constexpr handle pullback(handle dy, handle, handle, handle b, unsigned) { return dy * b; }
#endif
};
using x = esp::tensor<float, esp::shape<4>>;
auto f(x const& a, x const& b) {
  return esp::grad([](auto p, auto q) { return sum(esp::detail::make_node<product_, 0, esp::shape<4>>(p, q)); })(a, b);
}
