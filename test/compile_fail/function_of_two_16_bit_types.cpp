// SPDX-License-Identifier: BSL-1.0
// expect: a function has models of half and models of bfloat16 among its arguments; on the processor, use one of the two types
// lines: 10
#include <espalier.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;
using Net = nn::Linear<4, 3>;
using First = esp::model<Net, esp::cpu, esp::bfloat16>;

#ifdef SHOULD_FAIL
using Second = esp::model<Net, esp::cpu, esp::half>;
#else
using Second = esp::model<Net>;
#endif
inline constexpr auto both = [](auto a, auto b, auto x) { return a(x) + b(x); };
void f(First& a, Second& b, esp::tensor<float, esp::shape<8, 4>> const& x) { esp::compiled run{both, a, b, x}; }
