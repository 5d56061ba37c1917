// SPDX-License-Identifier: BSL-1.0
// expect: one_hot\(labels, n\): the number of classes is a template argument; write one_hot<10>\(labels\)
#include <espalier/eager/evaluate.hpp>
#include <espalier/operation/operation.hpp>

namespace esp = espalier;

float f(esp::tensor<std::int32_t, esp::shape<2>> const& labels) {
#ifdef SHOULD_FAIL
  auto const y = evaluate(esp::one_hot(labels, 3));
#else
  auto const y = evaluate(esp::one_hot<3>(labels));
#endif
  return y[0];
}
