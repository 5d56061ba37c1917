// SPDX-License-Identifier: BSL-1.0
// expect: a \+ b: shapes must be equal
// expect-early: shape<4>
#include <espalier/eager/gradient.hpp>
#include <espalier/operation/operation.hpp>
#include <espalier/storage/print.hpp>
#include <ostream>

namespace esp = espalier;
using esp::shape, esp::tensor;
using row = tensor<float, shape<4>>;

#ifdef SHOULD_FAIL
void f(std::ostream& out, tensor<float, shape<2, 3>> const& x, row const& y) {
  out << "x + y = " << x + y << '\n' << 1;
}
#else
void f(std::ostream& out, tensor<float, shape<2, 4>> const& x, row const& y) {
  out << "x + y = " << x + y << '\n' << 1;
}
#endif
