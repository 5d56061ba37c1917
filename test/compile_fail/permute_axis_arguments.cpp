// SPDX-License-Identifier: BSL-1.0
// expect: permute\(x, axes...\): axes are template arguments; write permute<1, 0>\(x\)
// PyTorch names axes and extents by arguments.
#include <espalier/eager/evaluate.hpp>
#include <espalier/operation/operation.hpp>

namespace esp = espalier;
using S = esp::shape<4, 8>;

float f(esp::tensor<float, S> const& x) {
#ifdef SHOULD_FAIL
  auto const y = evaluate(permute(x, 1, 0));
#else
  auto const y = evaluate(permute<1, 0>(x));
#endif
  return y[0];
}
