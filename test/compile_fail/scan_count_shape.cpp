// SPDX-License-Identifier: BSL-1.0
// expect: f calls grad, vmap, scan, checkpoint, parameter_of or a similar function with arguments that do not fit
// expect: step_count<
// expect-26: the count is \(2\); expected an argument of one std::int32_t, of shape<> or shape<1>
#include <espalier.hpp>

namespace esp = espalier;

#ifdef SHOULD_FAIL
using counts = esp::shape<2>;
#else
using counts = esp::shape<1>;
#endif
inline constexpr auto step = [](auto const& sum, auto const& x) { return std::tuple{sum + x, sum}; };
inline constexpr auto f = [](auto s, auto xs, auto count) { return sum(std::get<1>(esp::scan(step, s, xs, count))); };
auto g(esp::tensor<float, esp::shape<3>> const& s, esp::tensor<float, esp::shape<5, 3>> const& xs,
       esp::tensor<std::int32_t, counts> const& count) {
  return esp::grad(f)(s, xs, count);
}
