// SPDX-License-Identifier: BSL-1.0
// lines: 12
// expect: a condition is one number on the host: write where\(c, a, b\) for \?:, maximum\(a, b\) for std::max
// expect: is_one_number<(espalier::)?shape<3> ?>
#include <espalier/eager/evaluate.hpp>
#include <espalier/operation/operation.hpp>

namespace esp = espalier;
using vector = esp::tensor<float, esp::shape<3>>;

bool some_above(vector const& a, vector const& b) {
#ifdef SHOULD_FAIL
  if (a > b) return true;
#else
  if (sum(a > b) > 0) return true;
#endif
  return false;
}
