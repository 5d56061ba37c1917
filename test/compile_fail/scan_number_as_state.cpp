// SPDX-License-Identifier: BSL-1.0
// expect: f calls grad, vmap, scan, checkpoint, parameter_of or a similar function with arguments that do not fit
// expect: loop_operands<float>
// expect-26: got float; expected values, such as zeros<shape<>>\(x\) for a number
#include <espalier.hpp>

namespace esp = espalier;

inline constexpr auto step = [](auto s, auto x) { return std::tuple{s + x, s}; };
inline constexpr auto f = [](auto s, auto xs) {
#ifdef SHOULD_FAIL
  return s * std::get<0>(esp::scan(step, 0.0f, xs));
#else
  return s * std::get<0>(esp::scan(step, esp::zeros<esp::shape<>>(s), xs));
#endif
};
auto g(esp::tensor<float, esp::shape<>> const& s, esp::tensor<float, esp::shape<5>> const& xs) {
  return esp::grad(f)(s, xs);
}
