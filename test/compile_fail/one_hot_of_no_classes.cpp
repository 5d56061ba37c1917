// SPDX-License-Identifier: BSL-1.0
// expect: one_hot<Classes>\(labels\): Classes must be at least 1, and the result have at most 6 axes and 2\^31 - 1 elements
// expect-early: axis_of_classes<
#include <espalier/eager/evaluate.hpp>
#include <espalier/operation/operation.hpp>

namespace esp = espalier;

float f(esp::tensor<std::int32_t, esp::shape<2>> const& labels) {
#ifdef SHOULD_FAIL
  auto const y = evaluate(esp::one_hot<0>(labels));
#else
  auto const y = evaluate(esp::one_hot<3>(labels));
#endif
  return y[0];
}
