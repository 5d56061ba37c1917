// SPDX-License-Identifier: BSL-1.0
// expect: a formula of tensors reads at most 24 tensors and 32 numbers, and each use of a value counts
// expect: compile the formula as a function: esp::compiled run\{f, x\}; run\(x, y\)
// lines: 12
// Only a traced body uses a value twice for nothing; the type of a formula of tensors spells it twice.
#include <espalier/eager/evaluate.hpp>
#include <espalier/operation/operation.hpp>

namespace esp = espalier;

auto f(esp::tensor<float, esp::shape<4>> const& x) {
  auto const a = x * x + x;
  auto const b = a * a + a;
#ifdef SHOULD_FAIL
  return evaluate(b * b + b);
#else
  return evaluate(b);
#endif
}
