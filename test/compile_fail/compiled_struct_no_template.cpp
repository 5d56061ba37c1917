// SPDX-License-Identifier: BSL-1.0
// expect: compiled\(f, x...\): a struct of tensors is a class template with one argument for each member
// expect: struct_is_a_template<.*motion
#include <espalier/eager/compiled.hpp>
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

void f(vector const& p, vector const& v) {
  esp::compiled run{[](auto m) { return m.position + m.velocity; }, motion{p, v}};
}
