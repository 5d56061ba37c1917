// SPDX-License-Identifier: BSL-1.0
// expect: a formula uses a tensor whose elements are not compile-time constants
// expect: pass it as an argument
// expect: sound<weighted
// lines: 12
// A function that is differentiated reads its arguments, and constants.
#include <espalier/eager/gradient.hpp>
#include <espalier/operation/operation.hpp>

namespace esp = espalier;

#ifdef SHOULD_FAIL
esp::tensor<float, esp::shape<3>> weights{1, 2, 3};
#else
inline constexpr esp::tensor<float, esp::shape<3>> weights{1, 2, 3};
#endif
struct weighted {
  constexpr auto operator()(auto x) const { return sum(x * weights); }
};

auto f(esp::tensor<float, esp::shape<3>> const& x) { return esp::grad(weighted{})(x); }
