// SPDX-License-Identifier: BSL-1.0
// expect: constant\(x\): x is a tensor, a view, a model, a struct of tensors, or a value or net in a function; write numbers without constant
// expect-early: can_be_constant<float>
// expect-26: write numbers without constant; got float
#include <espalier.hpp>

namespace esp = espalier;

#ifdef SHOULD_FAIL
inline constexpr auto scaled = [](auto x) { return sum(x * esp::constant(2.0f)); };
#else
inline constexpr auto scaled = [](auto x) { return sum(x * 2.0f); };
#endif
auto f(esp::tensor<float, esp::shape<3>> const& x) { return esp::grad(scaled)(x); }
