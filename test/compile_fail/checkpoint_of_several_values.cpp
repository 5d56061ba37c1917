// SPDX-License-Identifier: BSL-1.0
// expect: f calls grad, vmap, scan, checkpoint, parameter_of or a similar function with arguments that do not fit
// expect: block_returns_a_tensor<std::tuple<
// expect-26: the block returns \(
#include <espalier.hpp>

namespace esp = espalier;

#ifdef SHOULD_FAIL
inline constexpr auto block = [](auto a) { return std::tuple{exp(a), a}; };
#else
inline constexpr auto block = [](auto a) { return exp(a) * a; };
#endif
inline constexpr auto f = [](auto a) { return sum(esp::checkpoint(block, a)); };
auto g(esp::tensor<float, esp::shape<3>> const& a) { return esp::grad(f)(a); }
