// SPDX-License-Identifier: BSL-1.0
// expect: grad\(f\)\(x...\), value_and_grad, vjp: a struct of tensors is a class template with one argument for each member
// expect: struct_is_a_template<.*motion
#include <espalier/eager/gradient.hpp>
#include <espalier/operation/operation.hpp>

namespace esp = espalier;
using vector = esp::tensor<double, esp::shape<3>>;

#ifdef SHOULD_FAIL
struct motion {
  vector position, velocity;
};
#else
template <class Position, class Velocity>
struct motion {
  Position position;
  Velocity velocity;
};
#endif

auto f(vector const& p, vector const& v) {
  return esp::grad([](auto m) { return sum(m.velocity); })(motion{p, v});
}
