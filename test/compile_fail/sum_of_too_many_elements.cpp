// SPDX-License-Identifier: BSL-1.0
// expect: shape<...>: a tensor has at most 2\^31 - 1 elements
// expect: 70000, 70000
// lines: 12
#include <espalier.hpp>
#ifndef SHOULD_FAIL
#define SIZE 700
#else
#define SIZE 70000
#endif

namespace esp = espalier;

float total() {
  esp::tensor<float, esp::shape<SIZE, SIZE>> const x;
  return esp::sum(x);
}
